/// A network that carries the machine's primary route.
public enum Network: Sendable, Hashable {
    /// A Wi-Fi network that the machine has joined.
    /// - Parameter ssid: 0 to 32 bytes as they are on the air, which need not be UTF-8.
    case wifi(ssid: [UInt8])
    /// A wired network, through a network card. Virtual cards, such as those of containers, do not count.
    case ethernet
    /// A mobile network, as ModemManager tells it.
    case mobile(MobileNetwork)
}

/// A mobile network.
public struct MobileNetwork: Sendable, Hashable {
    /// The mobile country code, three digits.
    public var countryCode: String
    /// The mobile network code, two or three digits.
    public var networkCode: String
    /// The tracking area code in upper-case hexadecimal digits without leading zeros; nil if ModemManager does not tell it, for
    /// instance because its location service is off.
    public var trackingAreaCode: String?

    /// A network of these values.
    public init(countryCode: String, networkCode: String, trackingAreaCode: String? = nil) {
        self.countryCode = countryCode
        self.networkCode = networkCode
        self.trackingAreaCode = trackingAreaCode
    }
}

/// What is known about the machine's network at one moment.
public struct NetworkSituation: Sendable, Equatable {
    /// The network of the primary route. nil: there is no such network, or it is of another kind, such as a bridge.
    public var primary: Network?
    /// What told the network.
    public var source: NetworkSource
    /// A sentence for the user if nothing can tell the network; else nil.
    public var problem: String?

    /// A situation of these values.
    public init(primary: Network?, source: NetworkSource, problem: String? = nil) {
        self.primary = primary
        self.source = source
        self.problem = problem
    }
}

/// What can tell the machine's network.
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
    /// The present situation, and then each that differs from the one before. The stream ends when its reader's task is
    /// cancelled. A slow reader misses situations in between, and always gets the latest.
    func situations() -> AsyncStream<NetworkSituation>
}
