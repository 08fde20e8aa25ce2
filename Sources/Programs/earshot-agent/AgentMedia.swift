import EarshotBluetooth
import EarshotDiscovery
import NearbyWire

/// The radio of the agent: one adapter for the operations of all apps. They share one scan, and their advertisements take
/// turns.
struct AgentMedia: Sendable {
    private let adapter: BluetoothAdapter
    private let power: ScanPower

    /// Does not open the adapter yet.
    /// - Parameters:
    ///   - adapter: such as `hci1`; nil for the first that works.
    ///   - power: the power of scans for devices. An operation for beacons states itself whether it prefers low power.
    ///   - log: receives which kind of bluetoothd runs.
    init(adapter: String?, power: ScanPower, log: @escaping @Sendable (String) -> Void) {
        self.adapter = BluetoothAdapter(adapter, log: log)
        self.power = power
    }

    /// A medium for the operations of one app with one key.
    var media: [any DiscoveryMedium] { [BluetoothMedium(BluetoothMedium.Options(power: power), adapter: adapter)] }

    var beacons: any BeaconSource<DiscoveryProblem> { BluetoothBeacons(adapter) }
}
