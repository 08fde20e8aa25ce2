import ArgumentParser
package import EarshotDiscovery

/// What a device does to be found and to find, as it is typed.
package enum ModeArgument: String, ExpressibleByArgument, CaseIterable {
    case both, broadcast, scan

    package var mode: DiscoveryMode {
        switch self {
        case .both: .both
        case .broadcast: .broadcast
        case .scan: .scan
        }
    }
}
