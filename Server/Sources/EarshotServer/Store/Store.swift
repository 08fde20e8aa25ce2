package import FoundationEssentials
import NearbyWire

/// The service's persistent state. Each call is atomic: it takes effect completely or not at all, and an answered call
/// is durable, even if the process is killed immediately afterwards.
///
/// The interface also fits a database that several services share: a call contains all data that its transaction needs,
/// and none returns a cursor or a lock. A read gets the time from its caller. A write reads the time when its turn
/// comes, not when the caller asked, so that its time is not before that of writes committed meanwhile.
protocol Store: OperatorStore {
    /// Checks that a write reaches the disk, by writing.
    func check() async throws

    /// The owner of the key with this hash; nil if the key is unknown or revoked.
    func keyHolder(hash: Data) async throws -> KeyHolder?
    /// The origins of all browser keys that are not revoked.
    func browserOrigins() async throws -> Set<String>
    /// The numbers of live items. They are counted continuously, so reading them has a constant cost.
    func counts() async throws -> StoreCounts
    /// The durations of commits.
    var commits: Durations { get }
    /// The figures of the store's database, for operators.
    var gauges: [Gauge] { get }

    func openSession(_ order: SessionOrder) async throws -> Session
    /// The session with this hash; nil if it is unknown or has ended, or its key was revoked.
    func session(hash: Data, now: Moment) async throws -> Session?
    /// Ends the session, with all its publications and subscriptions.
    func endSession(_ session: Session) async throws -> Woken

    func publish(_ order: PublicationOrder) async throws -> Outcome<Publication>
    func publications(of session: Session, now: Moment) async throws -> [Publication]
    /// Nil if this device has no such publication.
    func renewPublication(_ identifier: String, _ renewal: Renewal) async throws -> (Publication, IssuedToken)?
    /// Nil if this device has no such publication.
    func unpublish(_ identifier: String, of session: Session) async throws -> Woken?

    func subscribe(_ order: SubscriptionOrder) async throws -> Outcome<Subscription>
    func subscriptions(of session: Session, now: Moment) async throws -> [Subscription]
    /// Nil if this device has no such subscription.
    func renewSubscription(_ identifier: String, _ renewal: Renewal) async throws -> (Subscription, IssuedToken)?
    /// False if this device has no such subscription.
    func unsubscribe(_ identifier: String, of session: Session) async throws -> Bool

    /// Records the tokens that a device hears, and those that it no longer hears.
    func report(_ report: SightingReport) async throws -> SightingAnswer

    /// The attachments of the beacons that the device may see; nothing for a beacon without any.
    func lookUp(_ question: LookUp) async throws -> [LookUpResult]

    /// The presence record for the device of this session; nil if another node serves it.
    func presence(of session: Session) -> Presence?
    /// The position in the changes of a device, and whether a stream can resume after `cursor`; nil if the session has
    /// ended.
    func position(of session: Session, after cursor: Int64?, now: Moment) async throws -> StreamPosition?
    /// A page of changes, or of found messages.
    func changes(of session: Session, _ query: ChangeQuery) async throws -> ChangePage

    /// Begins to serve. It shortens stored times that are later than the limits allow, because the calendar was set
    /// back since they were stored.
    /// - Parameter onLoss: called with devices that another node serves from now on.
    func begin(_ limits: ServiceLimits, onLoss: @escaping @Sendable (Set<Int64>) -> Void) async throws
    /// Ends expired items and the sightings of silent devices, and deletes items that ended longer ago than the limits'
    /// `memory`. One call handles a limited number of items of each kind, so that no write waits long for it.
    func sweep(_ limits: ServiceLimits) async throws -> Swept

    /// The time by which the store judges leases.
    var clock: any ServiceClock { get }
}

/// The operator's commands, which run in their own process beside the service.
package protocol Administration: Sendable {
    /// Creates a project.
    /// - Parameter salt: the salt of a sealed project; nil for an open one.
    /// - Throws: `AdministrationError` if the name is in use, or the error of the database.
    func createProject(name: String, salt: Data?) async throws -> Project
    /// All projects, oldest first.
    /// - Throws: the error of the database.
    func projects() async throws -> [Project]
    /// Creates a key of a project from the hash of its secret.
    /// - Parameter origins: the pages that may use it; nil if it is no browser key.
    /// - Throws: `AdministrationError` if there is no such project, or the error of the database.
    func createKey(
        project: String, name: String, role: KeyRole, origins: AllowedOrigins?, hash: Data
    ) async throws -> APIKey
    /// The keys of one project, or of all if `project` is nil.
    /// - Throws: `AdministrationError` if there is no such project, or the error of the database.
    func keys(project: String?) async throws -> [APIKey]
    /// Revokes a key.
    /// - Throws: `AdministrationError` if there is no such key, or the error of the database.
    func revokeKey(id: Int64) async throws -> APIKey

    /// The devices that have a session, of one project or of all, oldest first.
    /// - Throws: the error of the database.
    func devices(project: String?) async throws -> [DeviceRecord]
    /// The publications that have not ended, of one project or of all, oldest first.
    /// - Throws: the error of the database.
    func publications(project: String?) async throws -> [PublicationRecord]
    /// Lets the service end a session with all its items, or a publication.
    /// - Returns: false if no service did it within some seconds. The next service of the project does it first.
    /// - Throws: `AdministrationError` if there is no such item, or the error of the database.
    func end(_ item: EndedItem) async throws -> Bool
    /// Looks for contradictions in one snapshot.
    /// - Throws: the error of the database.
    func inspect() async throws -> Inspection
    /// Writes a copy of the database into a new file that only its owner may read.
    /// - Throws: `AdministrationError` if the file exists, or cannot be written, or if the store is not a file.
    func backUp(to path: String) async throws
}

/// The devices with new changes to read.
struct Woken: Sendable, Equatable {
    var devices: Set<Int64> = []
    /// The numbers of messages found and lost, for the metrics.
    var found = 0
    var lost = 0

    static func + (a: Woken, b: Woken) -> Woken {
        Woken(devices: a.devices.union(b.devices), found: a.found + b.found, lost: a.lost + b.lost)
    }
}

/// The result of one call of `Store.sweep`.
struct Swept: Sendable, Equatable {
    var woken = Woken()
    /// Whether more items are due, so that the next call can follow immediately.
    var hasMore = false
}

/// The result of an order that a client may repeat.
struct Outcome<Value: Sendable>: Sendable {
    let value: Value
    let token: IssuedToken
    /// False if the order is a repetition, which renews the item.
    let isNew: Bool
    let woken: Woken
}

/// A new session.
struct SessionOrder: Sendable {
    let holder: KeyHolder
    let identifier: String
    let hash: Data
    let lifetime: Duration
    let devicesPerKey: Int
}

/// A new token, to issue if the current one is too old. In a sealed project the device draws the token, and the service
/// gets its identifier.
struct TokenOffer: Sendable {
    let bytes: Data
    /// The key of a sealed publication, wrapped for the token.
    var key: Data?
    /// The lifetime of a new token; the current one is kept for half of it.
    let lifetime: Duration
    /// Whether the device may have forgotten the current token, because it repeats an order of a sealed project.
    var isForgetful = false
}

/// The renewal of a lease.
struct Renewal: Sendable {
    let session: Session
    let timeToLive: Duration
    let sessionLifetime: Duration
    let token: TokenOffer
}

/// A message to publish.
struct PublicationOrder: Sendable {
    let identifier: String
    /// The client's key for repetitions of the same order; nil without one.
    let idempotencyKey: String?
    let message: Message
    let renewal: Renewal
    let perDevice: Int
    let perKey: Int
}

/// A subscription to create.
struct SubscriptionOrder: Sendable {
    let identifier: String
    let idempotencyKey: String?
    let filter: MessageFilter
    let renewal: Renewal
    let perDevice: Int
    let perKey: Int
}

/// The tokens that a device hears, and those that it no longer hears.
struct SightingReport: Sendable {
    let session: Session
    let heard: [HeardToken]
    let lost: [Data]
    /// Keys for tokens that the device hears.
    var keys: [PublicationKey] = []
    let lifetime: Duration
    let perDevice: Int
}

/// The status of each token of the report, in its order.
struct SightingAnswer: Sendable {
    let heard: [TokenStatus]
    let lost: [TokenStatus]
    let woken: Woken
}

/// A position in the changes of a device.
struct StreamPosition: Sendable, Equatable {
    let isResumed: Bool
    let last: Int64
}

/// The changes to read.
struct ChangeQuery: Sendable {
    var after: Int64
    var through = Int64.max
    /// Whether to read only the messages found now, for a stream that does not resume.
    var isFoundOnly = false
    var limit: Int
}

/// The numbers of live items.
struct StoreCounts: Sendable, Equatable {
    let devices: Int
    let publications: Int
    let subscriptions: Int
    let sightings: Int
    /// Writes that wait for their turn.
    let waitingWrites: Int
    /// The waiting time of the oldest write that is not on the disk.
    let logLag: Duration
}

/// A store's error that can state its reason without quoting its input.
protocol StoreFailure: Error {
    var reason: String { get }
}

/// The reason of an error for the log: a store's reason, or a problem's code. Texts of other errors may quote a message
/// or a key, so only their type is logged.
func reason(of error: any Error) -> String {
    switch error {
    case let failure as any StoreFailure: failure.reason
    case let problem as Problem: problem.code
    default: "\(type(of: error))"
    }
}

extension Administration {
    /// Creates an open project.
    /// - Throws: `AdministrationError` if the name is in use, or the error of the database.
    package func createProject(name: String) async throws -> Project {
        try await createProject(name: name, salt: nil)
    }

    /// Creates a key that is not for browsers.
    /// - Throws: `AdministrationError` if there is no such project, or the error of the database.
    package func createKey(
        project: String, name: String, role: KeyRole = .device, hash: Data
    ) async throws -> APIKey {
        try await createKey(project: project, name: name, role: role, origins: nil, hash: hash)
    }
}
