import FoundationEssentials
import NearbyWire

/// A message and a subscription.
struct Pair: Hashable, Comparable {
    let publication: Int64
    let subscription: Int64

    static func < (a: Pair, b: Pair) -> Bool {
        (a.publication, a.subscription) < (b.publication, b.subscription)
    }
}

/// The live items in memory: a copy of the rows that requests need, without contents, and the sightings, which have no
/// rows.
///
/// Each change of a row happens here first, under the store's lock, and then in the database, in the writer's turn.
/// Until it is on the disk its devices are `uncommitted`, and answers about them wait for the writer. So a crash or a
/// full disk cannot undo an answered change. If the database refuses a change, the store reads everything again
/// (`Live+Loading.swift`).
///
/// Sightings change at any time. If a change makes a pair near or not near, the pair waits in `unsettled` until a
/// writer has stored that.
struct Live: Sendable {
    struct Device {
        let identifier: String
        let key: Int64
        let project: Int64
        let hash: Data
        /// The pages that may use its key, if that is a browser key.
        let origins: AllowedOrigins?
        /// The salt of its project if that is sealed.
        var salt: Data?
        var expires: Moment
        /// The number of its last change.
        var sequence: Int64
        /// The number up to which a stream cannot resume: later changes may be missing.
        var forgotten: Int64 = 0
        var publications: Set<Int64> = []
        var subscriptions: Set<Int64> = []
        /// The tokens that it hears.
        var heard: [Int64: Sighting] = [:]
    }

    /// A device hears a token.
    struct Sighting {
        var expires: Moment
        /// The keys of the device's own publications, wrapped for the token, by row.
        var keys: [Int64: Data] = [:]
    }

    struct Offer {
        let publication: Publication
        let device: Int64
        let project: Int64
        let order: String?
        var expires: Moment
        /// The time of its end. An ended one stays while a subscriber may still have to read the loss.
        var ended: Moment?
        var tokens: [Int64] = []
        /// The subscriptions that found it, or lost it recently.
        var subscriptions: Set<Int64> = []

        func isAlive(_ now: Moment) -> Bool { ended == nil && expires > now }

        var current: Publication {
            Publication(
                row: publication.row, identifier: publication.identifier, namespace: publication.namespace,
                type: publication.type, contentCount: publication.contentCount, expires: expires)
        }
    }

    struct Wish {
        let subscription: Subscription
        let device: Int64
        let project: Int64
        let order: String?
        var expires: Moment
        var tokens: [Int64] = []
        /// The messages that it found, or lost recently.
        var publications: Set<Int64> = []

        var current: Subscription {
            Subscription(
                row: subscription.row, identifier: subscription.identifier, filter: subscription.filter,
                expires: expires)
        }
    }

    struct Token {
        let name: TokenName
        let device: Int64
        let binding: TokenBinding
        let issued: Moment
        let expires: Moment
        /// The key of a sealed publication, wrapped for the token.
        var key: Data?
    }

    /// A token in its project; the bytes alone are ambiguous.
    struct TokenName: Hashable {
        let project: Int64
        let bytes: UInt64

        init(_ bytes: UInt64, project: Int64) { (self.project, self.bytes) = (project, bytes) }

        /// Nil if the number of bytes is not a token's.
        init?(_ bytes: Data, project: Int64) {
            guard bytes.count == 8 else { return nil }
            self.project = project
            self.bytes = bytes.reduce(0) { $0 << 8 | UInt64($1) }
        }

        var data: Data { Data((0..<8).map { UInt8(truncatingIfNeeded: bytes >> (56 - 8 * $0)) }) }
    }

    struct Delivery {
        let sequence: Int64
        let isFound: Bool
        let changed: Moment
    }

    /// The items of a key.
    struct KeyItems {
        var devices: Set<Int64> = []
        var publications = 0
        var subscriptions = 0
    }

    /// An order that a client may repeat.
    struct OrderName: Hashable {
        let device: Int64
        let key: String
    }

    var devices: [Int64: Device] = [:]
    var sessions: [Data: Int64] = [:]
    var offers: [Int64: Offer] = [:]
    var wishes: [Int64: Wish] = [:]
    var offerRows: [String: Int64] = [:]
    var wishRows: [String: Int64] = [:]
    var offerOrders: [OrderName: Int64] = [:]
    var wishOrders: [OrderName: Int64] = [:]
    var tokens: [Int64: Token] = [:]
    var tokenRows: [TokenName: Int64] = [:]
    var hearers: [Int64: Set<Int64>] = [:]
    var deliveries: [Pair: Delivery] = [:]
    var keys: [Int64: KeyItems] = [:]
    var revokedKeys: Set<Int64> = []
    var sightingCount = 0

    /// The devices whose changes in memory are not on the disk yet.
    var uncommitted: Set<Int64> = []
    /// The sessions that have ended in memory but not yet on the disk, by their hashes.
    var ending: Set<Data> = []
    /// The pairs whose rows do not show yet whether they are near.
    var unsettled: Set<Pair> = []
    /// The pairs that were near before a restart. Each counts as near until one of its devices reports otherwise, or
    /// the time ends.
    var assumed: Set<Pair> = []
    var assumedUntil = Moment(milliseconds: .max)

    var deviceEnds = Schedule<Int64>()
    var offerEnds = Schedule<Int64>()
    var wishEnds = Schedule<Int64>()
    /// The devices whose sightings expire.
    var sightingEnds = Schedule<Int64>()
    var tokensToForget = Schedule<Int64>()
    var offersToForget = Schedule<Int64>()
    var lossesToForget = Schedule<Pair>()

    private var lastRow: Int64 = 0

    /// A new row number.
    mutating func newRow() -> Int64 {
        lastRow += 1
        return lastRow
    }

    mutating func reserve(row: Int64) { lastRow = max(lastRow, row) }

    /// Marks memory as equal to the disk.
    mutating func commit() {
        if !uncommitted.isEmpty { uncommitted = [] }
        if !ending.isEmpty { ending = [] }
    }

    /// The session with this hash; nil if it has ended.
    func session(hash: Data, now: Moment) -> Session? {
        guard let row = sessions[hash], let device = devices[row], device.expires > now,
            !revokedKeys.contains(device.key)
        else { return nil }
        return Session(
            device: row, identifier: device.identifier, key: device.key, project: device.project,
            origins: device.origins, expires: device.expires, salt: device.salt)
    }

    /// The status of a token in a project.
    func status(_ token: Token, now: Moment) -> TokenStatus {
        guard token.expires > now else { return .expired }
        let isAlive =
            switch token.binding {
            case .publication(let row): offers[row]?.isAlive(now) ?? false
            case .subscription(let row): wishes[row].map { $0.expires > now } ?? false
            }
        return isAlive ? .valid : .expired
    }
}

/// The publication or subscription of a token.
enum TokenBinding: Sendable, Equatable {
    case publication(Int64)
    case subscription(Int64)

    /// Reads the columns of a row, one of which is null. Tokens of deleted items have neither, and count as expired.
    init(publication: Int64?, subscription: Int64?) {
        self = publication.map(Self.publication) ?? .subscription(subscription ?? 0)
    }

    /// The columns of a row.
    var columns: (publication: Int64?, subscription: Int64?) {
        switch self {
        case .publication(let row): (row, nil)
        case .subscription(let row): (nil, row)
        }
    }
}

/// The row changes that result from a change in memory.
struct RowChanges: Sendable {
    struct Delivered {
        let pair: Pair
        let device: Int64
        /// The number of the row that this one replaces.
        let replaced: Int64?
        let delivery: Live.Delivery
    }

    var openedDevices: [(row: Int64, device: Live.Device)] = []
    var madePublications: [(offer: Live.Offer, content: Data)] = []
    var madeSubscriptions: [Live.Wish] = []
    var issuedTokens: [(row: Int64, token: Live.Token)] = []
    /// The new ends of leases, by row.
    var deviceEnds: [Int64: Moment] = [:]
    var publicationEnds: [Int64: Moment] = [:]
    var subscriptionEnds: [Int64: Moment] = [:]
    var delivered: [Delivered] = []
    /// The last numbers of devices.
    var sequences: [Int64: Int64] = [:]
    var endedPublications: [(row: Int64, at: Moment)] = []
    var deletedPublications: [Int64] = []
    var deletedSubscriptions: [Int64] = []
    var deletedDevices: [Int64] = []
    var deletedTokens: [Int64] = []
    var deletedDeliveries: [(device: Int64, sequence: Int64)] = []
    /// The numbers up to which devices cannot resume.
    var forgotten: [Int64: Int64] = [:]
    var woken = Woken()
    /// Whether a sweep ended at its limit of items: more may be due.
    var isLimited = false
}
