import ArgumentParser
import EarshotBluetooth

/// The Bluetooth adapter, for every command that scans or advertises.
struct AdapterArgument: ParsableArguments {
    @Option(
        help: ArgumentHelp("The Bluetooth adapter, such as hci1. (default: the first that is on)", valueName: "name"))
    var adapter: String?

    func validate() throws {
        guard let adapter else { return }
        guard (1...64).contains(adapter.utf8.count), adapter.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ValidationError("--adapter: give a name such as hci1; 'bluetoothctl list' shows them.")
        }
    }

    /// The adapter, which is not used yet.
    var radio: BluetoothAdapter { BluetoothAdapter(adapter) }
}
