import ArgumentParser
import EarshotBluetooth
import EarshotConsole

/// The Bluetooth adapter, for every command that scans or advertises.
struct AdapterArgument: ParsableArguments {
    @Option(help: ArgumentHelp("The Bluetooth adapter. (default: the first that is on)", valueName: "hci0"))
    var adapter: String?

    func validate() throws {
        if let adapter { try Self.check(adapter) }
    }

    /// Refuses what cannot be the name of an adapter.
    static func check(_ adapter: String) throws {
        let digits = adapter.hasPrefix("hci") ? adapter.dropFirst(3) : ""
        guard (1...3).contains(digits.count), digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            throw ValidationError(
                "--adapter \"\(adapter.prefix(80).description.escapedForTerminal)\": give a name such as hci0. "
                    + "'ls /sys/class/bluetooth' lists them.")
        }
    }

    /// The adapter, which is not used yet.
    var radio: BluetoothAdapter { BluetoothAdapter(adapter) }
}
