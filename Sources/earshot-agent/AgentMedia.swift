import EarshotDiscovery

/// The radio of the agent. This is the one place where it is chosen.
///
/// There is none yet: EarshotBluetooth's medium and its source of beacons belong here.
enum AgentMedia {
    static let media: @Sendable () -> [any DiscoveryMedium] = { [] }
    static let beacons: (@Sendable () -> (any BeaconSource)?)? = nil
}
