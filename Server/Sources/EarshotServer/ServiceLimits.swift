/// The limits of the service. A request that exceeds one gets an answer that names it.
public struct ServiceLimits: Sendable, Equatable {
    /// The maximum size of a message in bytes: 100 KiB.
    public var contentBytes = 102_400
    /// The maximum length of a message's type in Unicode scalars.
    public var typeLength = 32
    /// The maximum length of a namespace in Unicode scalars.
    public var namespaceLength = 64
    /// The maximum size of a request's body in bytes: the largest content has 136,536 in base64.
    public var bodyBytes = 160 * 1_024

    /// The lifetime of a publication or subscription if the request states none.
    public var defaultTimeToLive = Duration.seconds(300)
    /// The maximum lifetime before its device must renew it.
    public var maximumTimeToLive = Duration.seconds(86_400)
    /// The lifetime of a device session after its last creation or renewal.
    public var sessionLifetime = Duration.seconds(7 * 86_400)
    /// The lifetime of a browser key's session after its last creation or renewal: pages are often closed without
    /// notice and opened again.
    public var browserSessionLifetime = Duration.seconds(3_600)
    /// The lifetime of a token. The service issues a new one after half of it.
    public var tokenLifetime = Duration.seconds(120)
    /// The lifetime of a report before the device must repeat it.
    public var sightingLifetime = Duration.seconds(90)
    /// The time without a report after which a device no longer counts as hearing anything.
    public var silence = Duration.seconds(15)
    /// The time for which the service remembers ended items: a token as EXPIRED, a lost message for a stream that
    /// resumes.
    public var memory = Duration.seconds(600)

    /// Requests of one device.
    public var requestsPerDevice = RateLimit(perSecond: 20, burst: 100)
    /// Requests of one device that do not count towards its key's rate: a share that other devices cannot use up.
    public var sharePerDevice = RateLimit(perSecond: 1, burst: 20)
    /// Requests of all devices of a key, beyond the share of each.
    public var requestsPerKey = RateLimit(perSecond: 500, burst: 2_000)
    /// Sessions that a key opens.
    public var sessionsPerKey = RateLimit(perSecond: 100, burst: 1_000)
    /// Requests of all pages at one address: an IPv4 address, or an IPv6 network of 64 bits.
    public var requestsPerAddress = RateLimit(perSecond: 50, burst: 500)
    /// Sessions that all pages at one address open.
    public var sessionsPerAddress = RateLimit(perSecond: 0.2, burst: 100)
    /// Requests of an address without a valid key or session.
    public var failuresPerAddress = RateLimit(perSecond: 10, burst: 500)
    /// The delay of the answer to a request beyond these rates, which slows down a client that repeats immediately.
    public var refusalDelay = Duration.seconds(1)

    /// The maximum number of publications of a device.
    public var publicationsPerDevice = 32
    /// The maximum number of subscriptions of a device.
    public var subscriptionsPerDevice = 32
    /// The maximum number of publications of all devices of a key.
    public var publicationsPerKey = 10_000
    /// The maximum number of subscriptions of all devices of a key.
    public var subscriptionsPerKey = 10_000
    /// The maximum number of devices of a key.
    public var devicesPerKey = 10_000
    /// The maximum number of tokens in one report.
    public var tokensPerReport = 100
    /// The maximum number of tokens that a device hears at once.
    public var sightingsPerDevice = 500
    /// The maximum size of a message that is attached to a beacon, in bytes.
    public var attachmentBytes = 1_024
    /// The maximum length of an attachment's type in Unicode scalars.
    public var attachmentTypeLength = 100
    /// The maximum length of the note of a beacon in Unicode scalars.
    public var beaconNoteLength = 200
    /// The maximum number of attachments of a beacon.
    public var attachmentsPerBeacon = 16
    /// The maximum number of beacons of a project.
    public var beaconsPerProject = 10_000
    /// The maximum number of namespaces of a project.
    public var namespacesPerProject = 100
    /// The maximum number of beacons in one query of a device.
    public var beaconsPerLookUp = 50
    /// The maximum number of beacons in one answer to an owner.
    public var beaconsPerPage = 100
    /// The maximum number of event streams of a device; one more ends the oldest.
    public var streamsPerDevice = 2
    /// The maximum time for the headers of a request to arrive: from the beginning of the connection, or from the first byte of a
    /// later request.
    public var headTime = Duration.seconds(10)
    /// The maximum time for a request to arrive, from the end of its headers on.
    public var requestTime = Duration.seconds(30)
    /// The maximum time of a connection between two requests.
    public var idleTime = Duration.seconds(60)
    /// The maximum number of open connections; one more gets an answer and is closed.
    public var connections = 4_000
    /// The maximum number of open connections of one address, which is an IPv4 address or an IPv6 network of 64 bits; nil for a quarter of
    /// `connections`. Connections of proxies have no such limit.
    public var connectionsPerAddress: Int?
    /// The number of connections to PostgreSQL.
    public var databaseConnections = 16
    /// The maximum number of writes that wait for the disk.
    public var pendingWrites = 4_096

    /// Creates the default limits, as stated above.
    public init() {}
}

/// A rate limit: `perSecond` on average, and `burst` at once after a pause.
public struct RateLimit: Sendable, Equatable {
    /// The sustained rate a second, > 0.
    public var perSecond: Double
    /// The maximum at once after a pause, ≥ 1.
    public var burst: Double

    /// - Parameters:
    ///   - perSecond: the sustained rate a second, > 0.
    ///   - burst: the maximum at once after a pause, ≥ 1.
    public init(perSecond: Double, burst: Double) {
        precondition(perSecond > 0 && burst >= 1, "a limit of \(perSecond) a second, \(burst) at once")
        self.perSecond = perSecond
        self.burst = burst
    }
}
