package import FoundationEssentials

/// What the service remembers. Each call is atomic: it happens as a whole or not at all, and what was answered
/// stays, even if the process is killed in the next moment.
///
/// Written so that a database shared by several services fits too: a call says all that a transaction needs to
/// know, and none hands out a cursor or a lock. Reads are told the time. A write takes it when its turn has come, not
/// when it was asked for, so that what waited does not happen before what was done meanwhile.
protocol Store: Administration {
    /// Whether it answers at all.
    func check() async throws

    /// Who holds the key with this hash; nil where it is unknown or revoked.
    func keyHolder(hash: Data) async throws -> KeyHolder?
    /// Counts alive.
    func counts(now: Moment) async throws -> StoreCounts

    func openSession(_ order: SessionOrder) async throws -> Session
    /// The session with this hash; nil where it is unknown or over, or its key was revoked.
    func session(hash: Data, now: Moment) async throws -> Session?
    /// Ends the session, and all that was published and subscribed in it.
    func endSession(_ session: Session) async throws -> Woken

    func publish(_ order: PublicationOrder) async throws -> Outcome<Publication>
    func publications(of session: Session, now: Moment) async throws -> [Publication]
    /// Nil where there is no such publication of this device.
    func renewPublication(_ identifier: String, _ renewal: Renewal) async throws -> (Publication, IssuedToken)?
    /// Nil where there is no such publication of this device.
    func unpublish(_ identifier: String, of session: Session) async throws -> Woken?

    func subscribe(_ order: SubscriptionOrder) async throws -> Outcome<Subscription>
    func subscriptions(of session: Session, now: Moment) async throws -> [Subscription]
    /// Nil where there is no such subscription of this device.
    func renewSubscription(_ identifier: String, _ renewal: Renewal) async throws -> (Subscription, IssuedToken)?
    /// False where there is no such subscription of this device.
    func unsubscribe(_ identifier: String, of session: Session) async throws -> Bool

    /// Takes down what a device hears, and no longer hears.
    func report(_ report: SightingReport) async throws -> SightingAnswer

    /// Where the changes of a device stand, and whether they can go on after `cursor`; nil where the session is over.
    func position(of session: Session, after cursor: Int64?, now: Moment) async throws -> StreamPosition?
    /// A page of what changed, or of what is found.
    func changes(of session: Session, _ query: ChangeQuery) async throws -> ChangePage

    /// Ends what has run out, and forgets what ended longer ago than `memory`.
    func sweep(memory: Duration) async throws -> Woken
}

/// What the operator does, in a process of its own while the service runs.
package protocol Administration: Sendable {
    func createProject(name: String) async throws -> Project
    func projects() async throws -> [Project]
    func createKey(project: String, name: String, hash: Data) async throws -> APIKey
    /// Of one project, or of all.
    func keys(project: String?) async throws -> [APIKey]
    func revokeKey(id: Int64) async throws -> APIKey
}

/// Devices that have news to read.
struct Woken: Sendable, Equatable {
    var devices: Set<Int64> = []
    /// How many messages were found and lost, for the metrics.
    var found = 0
    var lost = 0

    static func + (a: Woken, b: Woken) -> Woken {
        Woken(devices: a.devices.union(b.devices), found: a.found + b.found, lost: a.lost + b.lost)
    }
}

/// What came of an order that may come twice.
struct Outcome<Value: Sendable>: Sendable {
    let value: Value
    let token: IssuedToken
    /// False where the same order had come before: then it was renewed.
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

/// A token ready to be issued, where the present one is too old.
struct TokenOffer: Sendable {
    let bytes: Data
    /// How long a new token lives; the present one is kept for half of it.
    let lifetime: Duration
}

/// A lease to prolong.
struct Renewal: Sendable {
    let session: Session
    let timeToLive: Duration
    let sessionLifetime: Duration
    let token: TokenOffer
}

/// A message to publish.
struct PublicationOrder: Sendable {
    let identifier: String
    /// The same order again has the same one; nil where the sender does not care.
    let idempotencyKey: String?
    let message: Message
    let renewal: Renewal
    let perDevice: Int
    let perKey: Int
}

/// A subscription to make.
struct SubscriptionOrder: Sendable {
    let identifier: String
    let idempotencyKey: String?
    let filter: MessageFilter
    let renewal: Renewal
    let perDevice: Int
    let perKey: Int
}

/// What a device hears, and no longer hears.
struct SightingReport: Sendable {
    let session: Session
    let heard: [Data]
    let lost: [Data]
    let lifetime: Duration
    let perDevice: Int
}

/// A status for each token of the report, in its order.
struct SightingAnswer: Sendable {
    let heard: [TokenStatus]
    let lost: [TokenStatus]
    let woken: Woken
}

/// Where the changes of a device stand.
struct StreamPosition: Sendable, Equatable {
    let isResumed: Bool
    let last: Int64
}

/// Which changes to read.
struct ChangeQuery: Sendable {
    var after: Int64
    var through = Int64.max
    /// Only what is found now, for who begins anew.
    var isFoundOnly = false
    var limit: Int
}

/// What is alive.
struct StoreCounts: Sendable, Equatable {
    let devices: Int
    let publications: Int
    let subscriptions: Int
    let sightings: Int
    /// Writes that wait for their turn.
    let waitingWrites: Int
}

/// An error of a store that can say what is wrong without quoting what it was given.
protocol StoreFailure: Error {
    var reason: String { get }
}
