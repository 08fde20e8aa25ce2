import ArgumentParser
import EarshotDiscovery

/// What a device does to be found and to find, as it is typed.
enum ModeArgument: String, ExpressibleByArgument, CaseIterable {
    case both, broadcast, scan

    var mode: DiscoveryMode {
        switch self {
        case .both: .both
        case .broadcast: .broadcast
        case .scan: .scan
        }
    }
}
