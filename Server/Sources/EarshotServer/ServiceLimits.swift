/// How much the service takes, from whom. Every limit has an answer of its own when it is reached.
public struct ServiceLimits: Sendable, Equatable {
    /// Bytes of a message. 100 KiB.
    public var contentBytes = 102_400
    /// Unicode scalars of a message's type.
    public var typeLength = 32
    /// Unicode scalars of a namespace.
    public var namespaceLength = 64
    /// Bytes of a request's body: content in base64 is 136,536.
    public var bodyBytes = 160 * 1_024

    /// How long a publication or subscription lives where nothing is said.
    public var defaultTimeToLive = Duration.seconds(300)
    /// How long one may live before it has to be renewed.
    public var longestTimeToLive = Duration.seconds(86_400)
    /// How long a device session lives after the last thing that was created or renewed in it.
    public var sessionLifetime = Duration.seconds(7 * 86_400)
    /// How long a token is taken. A new one is issued after half of it.
    public var tokenLifetime = Duration.seconds(120)
    /// How long a report counts before it has to be repeated.
    public var sightingLifetime = Duration.seconds(90)
    /// How long what is over is remembered: a token as EXPIRED, a lost message for a stream that resumes.
    public var memory = Duration.seconds(600)

    /// Requests a second, and how many at once after a pause.
    public var requestsPerDevice = RateLimit(perSecond: 20, burst: 100)
    /// Over all devices of a key.
    public var requestsPerKey = RateLimit(perSecond: 500, burst: 2_000)
    /// Sessions opened.
    public var sessionsPerKey = RateLimit(perSecond: 10, burst: 100)
    /// Reported tokens that were never issued to the project.
    public var guessesPerDevice = RateLimit(perSecond: 0.5, burst: 60)
    /// Over all devices of a key.
    public var guessesPerKey = RateLimit(perSecond: 50, burst: 2_000)

    /// Publications a device has at once.
    public var publicationsPerDevice = 32
    /// Subscriptions a device has at once.
    public var subscriptionsPerDevice = 32
    /// Over all devices of a key.
    public var publicationsPerKey = 10_000
    /// Over all devices of a key.
    public var subscriptionsPerKey = 10_000
    /// Devices of a key.
    public var devicesPerKey = 10_000
    /// Tokens in one report.
    public var tokensPerReport = 100
    /// Tokens a device hears at once.
    public var sightingsPerDevice = 500
    /// Event streams of a device; one more ends the oldest.
    public var streamsPerDevice = 2
    /// How long a request may take to arrive, from the end of its headers on.
    public var requestTime = Duration.seconds(30)
    /// How long nothing may be asked on a connection, and how long headers may take.
    public var idleTime = Duration.seconds(60)
    /// Open connections; one more is told so and closed.
    public var connections = 4_000
    /// Writes that wait for the disk.
    public var pendingWrites = 4_096

    /// The limits above.
    public init() {}
}

/// So many a second in the long run, and `burst` at once after a pause.
public struct RateLimit: Sendable, Equatable {
    /// In the long run, > 0.
    public var perSecond: Double
    /// At once, ≥ 1.
    public var burst: Double

    /// - Parameters:
    ///   - perSecond: in the long run, > 0.
    ///   - burst: at once after a pause, ≥ 1.
    public init(perSecond: Double, burst: Double) {
        precondition(perSecond > 0 && burst >= 1, "a limit of \(perSecond) a second, \(burst) at once")
        self.perSecond = perSecond
        self.burst = burst
    }
}
