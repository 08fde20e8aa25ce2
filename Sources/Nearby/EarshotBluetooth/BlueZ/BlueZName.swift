/// The names of BlueZ on the system bus.
///
/// Source: BlueZ, `org.bluez.*(5)`.
enum BlueZName {
    static let service = "org.bluez"
    static let root = "/org/bluez"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    static let advertisement = "org.bluez.LEAdvertisement1"
    static let monitorManager = "org.bluez.AdvertisementMonitorManager1"
    static let monitor = "org.bluez.AdvertisementMonitor1"
    static let properties = "org.freedesktop.DBus.Properties"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let introspectable = "org.freedesktop.DBus.Introspectable"
    static let bus = "org.freedesktop.DBus"
    static let busPath = "/org/freedesktop/DBus"

    /// The name of an adapter at a path, such as `hci0`; nil for the path of anything else.
    static func adapterName(path: String) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, path.hasPrefix(root + "/"), parts[3].hasPrefix("hci") else { return nil }
        return String(parts[3])
    }

    /// The names of the adapters in the description of `/org/bluez`, in the order of their numbers.
    static func adapterNames(introspection: String) -> [String] {
        let names = introspection.split(separator: "<node name=\"").dropFirst().compactMap { part -> String? in
            part.hasPrefix("hci") ? part.split(separator: "\"").first.map(String.init) : nil
        }
        return names.sorted { ($0.count, $0) < ($1.count, $1) }
    }

    /// The Bluetooth address in a device's path, such as `00:11:22:33:44:55` of `/org/bluez/hci0/dev_00_11_22_33_44_55`.
    static func address(devicePath path: String) -> String? {
        guard let name = path.split(separator: "/").last, name.hasPrefix("dev_"), name.utf8.count == 21 else {
            return nil
        }
        return String(name.dropFirst(4).map { $0 == "_" ? ":" : $0 })
    }
}
