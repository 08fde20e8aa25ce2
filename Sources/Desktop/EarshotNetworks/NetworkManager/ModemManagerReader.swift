import EarshotDBus

/// The names and numbers of ModemManager on the system bus.
///
/// Source: ModemManager D-Bus API 1.20.
enum ModemManagerName {
    static let service = "org.freedesktop.ModemManager1"
    static let modem3GPP = "org.freedesktop.ModemManager1.Modem.Modem3gpp"
    static let location = "org.freedesktop.ModemManager1.Modem.Location"
    static let modemPrefix = "/org/freedesktop/ModemManager1/Modem/"
    /// MM_MODEM_LOCATION_SOURCE_3GPP_LAC_CI.
    static let networkLocation = 1

    /// The signals after which the network may have changed.
    static let changes = [modem3GPP, location].map {
        DBusMatch(sender: service, interface: BusName.properties, member: "PropertiesChanged", firstArgument: $0)
    }
}

/// Asks ModemManager for the network of a modem.
struct ModemManagerReader: Sendable {
    let connection: DBusConnection

    /// The network in which a modem is registered; nil if ModemManager does not report it.
    func network(modem: String) async -> Network? {
        guard modem.hasPrefix(ModemManagerName.modemPrefix),
            let properties = try? await connection.properties(
                ModemManagerName.service, modem, ModemManagerName.modem3GPP),
            let code = properties["OperatorCode"]?.text
        else { return nil }
        // On most systems only ModemManager's own user may read the location.
        let answer = try? await connection.ask(
            ModemManagerName.service, modem, ModemManagerName.location, "GetLocation")
        let location = answer?.first?.entries?[.uint32(UInt32(ModemManagerName.networkLocation))]?.text
        return Self.network(operatorCode: code, location: location).map { .mobile($0) }
    }

    /// The network of an operator's code, such as `24405`, and a location, `MCC,MNC,LAC,CI,TAC`, the last three hexadecimal.
    static func network(operatorCode code: String, location: String?) -> MobileNetwork? {
        guard (5...6).contains(code.utf8.count),
            code.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        var network = MobileNetwork(countryCode: String(code.prefix(3)), networkCode: String(code.dropFirst(3)))
        let fields = (location ?? "").split(separator: ",", omittingEmptySubsequences: false)
        // Zero means an unknown area; a tracking area code has at most 24 bits.
        if fields.count >= 5, let area = UInt32(fields[4], radix: 16), (1..<1 << 24).contains(area) {
            network.trackingAreaCode = String(area, radix: 16, uppercase: true)
        }
        return network
    }
}
