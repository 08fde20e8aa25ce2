import EarshotDBus

/// The names of iwd on the system bus.
///
/// Source: iwd, doc/station-api.txt, doc/device-api.txt and doc/network-api.txt.
enum IwdName {
    static let service = "net.connman.iwd"
    static let station = "net.connman.iwd.Station"
    static let device = "net.connman.iwd.Device"
    static let network = "net.connman.iwd.Network"

    /// The signals after which the network may have changed.
    static let changes = [
        DBusMatch(sender: service, interface: BusName.properties, member: "PropertiesChanged", firstArgument: station),
        DBusMatch(sender: service, path: "/", interface: BusName.objectManager),
    ]
}

/// Asks iwd for the Wi-Fi network of the device that has the primary route.
///
/// iwd names a network by text. It shows no network whose SSID is not UTF-8, so the bytes of the text are the SSID.
struct IwdReader: Sendable {
    let connection: DBusConnection
    let kernel: any Kernel

    /// Reads iwd's answer.
    /// - Returns: nil if the primary route is not through a device of iwd.
    /// - Throws: if iwd does not run, does not answer or refuses.
    func reading() async throws(DBusError) -> NetworkReading? {
        let answer = try await connection.ask(
            IwdName.service, "/", BusName.objectManager, "GetManagedObjects")
        let objects = (answer.first?.named ?? [:]).compactMapValues(\.named)
        guard let picture = try? kernel.picture(), let link = picture.primaryLink else { return nil }
        let found = objects.values.first { $0[IwdName.device]?.named?["Name"]?.text == link.name }
        guard let station = found?[IwdName.station]?.named else { return nil }
        guard station["ConnectedNetwork"] != nil, ["connected", "roaming"].contains(station["State"]?.text) else {
            return NetworkReading(primary: nil, source: .iwd)
        }
        let path = station["ConnectedNetwork"]?.text ?? ""
        guard let name = objects[path]?[IwdName.network]?.named?["Name"]?.text,
            name.utf8.count <= Network.maximumSSIDByteCount
        else { return nil }
        return NetworkReading(primary: .wifi(ssid: Array(name.utf8)), source: .iwd)
    }
}
