import ArgumentParser
import EarshotBluetooth
import EarshotConsole

/// The Bluetooth adapter, for every command that scans or advertises.
struct AdapterArgument: ParsableArguments {
    @Option(help: ArgumentHelp("The Bluetooth adapter. (default: the first that is on)", valueName: "hci0"))
    var adapter: String?

    func validate() throws {
        if let adapter { try AdapterName.check(adapter) }
    }

    /// The adapter, which is not used yet.
    var radio: BluetoothAdapter { BluetoothAdapter(adapter) }
}
