import ArgumentParser

/// The name of a Bluetooth adapter on the command line.
package enum AdapterName {
    /// Refuses a text that cannot be the name of an adapter.
    package static func check(_ adapter: String) throws {
        let digits = adapter.hasPrefix("hci") ? adapter.dropFirst(3) : ""
        guard (1...3).contains(digits.count), digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            throw ValidationError(
                "--adapter \"\(adapter.prefix(80).description.escapedForTerminal)\": give a name such as hci0. "
                    + "'ls /sys/class/bluetooth' lists them.")
        }
    }
}
