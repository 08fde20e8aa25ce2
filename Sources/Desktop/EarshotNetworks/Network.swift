/// A network that carries the machine's primary route.
public enum Network: Sendable, Hashable {
    /// A Wi-Fi network that the machine has joined.
    /// - Parameter ssid: 0 to 32 bytes as on the air, which need not be UTF-8.
    case wifi(ssid: [UInt8])
    /// A wired network, through a network card. Virtual cards, such as those of containers, do not count.
    case ethernet
    /// A mobile network, as ModemManager reports it.
    case mobile(MobileNetwork)
}

/// A mobile network.
public struct MobileNetwork: Sendable, Hashable {
    /// The mobile country code, three digits.
    public var countryCode: String
    /// The mobile network code, two or three digits.
    public var networkCode: String
    /// The tracking area code in upper-case hexadecimal digits without leading zeros; nil if ModemManager does not
    /// report it, for instance because its location service is off.
    public var trackingAreaCode: String?

    /// A network of these values.
    public init(countryCode: String, networkCode: String, trackingAreaCode: String? = nil) {
        self.countryCode = countryCode
        self.networkCode = networkCode
        self.trackingAreaCode = trackingAreaCode
    }
}

/// The known state of the machine's network at one moment.
public struct NetworkSituation: Sendable, Equatable {
    /// The network of the primary route; nil if there is none, or if it is of another kind, such as a bridge.
    public var primary: Network?
    /// The source of the network.
    public var source: NetworkSource
    /// A sentence for the user if no source can tell the network; otherwise nil.
    public var problem: String?

    /// A situation of these values.
    public init(primary: Network?, source: NetworkSource, problem: String? = nil) {
        self.primary = primary
        self.source = source
        self.problem = problem
    }
}

/// The sources that can tell the machine's network.
public enum NetworkSource: String, Sendable {
    /// NetworkManager, over D-Bus.
    case networkManager
    /// iwd, over D-Bus, with the kernel's routes.
    case iwd
    /// The kernel: rtnetlink and nl80211.
    case kernel
}

/// Follows the machine's network.
public protocol NetworkWatching: Sendable {
    /// The current situation, and then each that differs from the one before. The stream ends when its reader's task is
    /// cancelled. A slow reader may miss situations in between, but always gets the latest.
    func situations() -> AsyncStream<NetworkSituation>
}
