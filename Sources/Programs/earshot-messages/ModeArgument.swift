import ArgumentParser
import EarshotDiscovery

/// `--mode`: whether the device sends its token, listens, or both.
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
