public import SimplePushKit

/// The operator's options.
public struct ServerOptions: Sendable {
    /// The address to listen at.
    public var address = ServerAddress(host: "0.0.0.0")
    /// The protection of links.
    public var security: PushSecurity
    /// The database's file.
    public var databasePath: String
    /// The limits.
    public var limits = ServerLimits()

    /// The protection and the file have no default.
    public init(security: PushSecurity, databasePath: String) {
        self.security = security
        self.databasePath = databasePath
    }
}

/// The limits of the server.
public struct ServerLimits: Sendable {
    /// The time between two heartbeats of the server, in seconds.
    public var heartbeatSeconds = 10.0
    /// The silence after which the server disconnects a client, in seconds.
    public var silenceSeconds = 30.0
    /// The longest time from the connection to the registration, with the handshake, in seconds.
    public var registrationSeconds = 10.0

    /// Links at the same time.
    public var linkCount = 10_000
    /// Links from one address that have not registered yet. This limits strangers.
    public var unregisteredCountPerAddress = 128
    /// Control links of one user. A newer one ends the oldest. There is one notification link.
    public var controlLinkCount = 4
    /// Users that the server knows.
    public var userCount = 20_000

    /// Frames of a client at once.
    public var frameBurst = 128.0
    /// Frames of a client per second.
    public var framesPerSecond = 50.0
    /// Bytes that may wait for a slow reader. More end its link.
    public var outgoingByteCount = 512 * 1_024
    /// Messages that were sent to a client and not acknowledged.
    public var windowCount = 64

    /// Messages that wait for one user.
    public var waitingCount = 256
    /// Bytes of text that wait for one user.
    public var waitingByteCount = 256 * 1_024
    /// Bytes of text that wait for all users.
    public var totalByteCount = 256 * 1_024 * 1_024
    /// The time after which the server forgets a message, in seconds: a week.
    public var waitingSeconds = 7.0 * 86_400

    /// The time for which a call rings, in seconds.
    public var ringSeconds = 45.0
    /// A call ends when the app of one of the two is disconnected for this long, in seconds.
    public var absenceSeconds = 30.0

    /// The defaults.
    public init() {}
}
