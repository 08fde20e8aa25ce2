import EarshotDBus

/// The names and numbers of NetworkManager on the system bus.
///
/// Source: NetworkManager D-Bus API 1.42.
enum NetworkManagerName {
    static let service = "org.freedesktop.NetworkManager"
    static let path = "/org/freedesktop/NetworkManager"
    static let manager = "org.freedesktop.NetworkManager"
    static let activeConnection = "org.freedesktop.NetworkManager.Connection.Active"
    static let device = "org.freedesktop.NetworkManager.Device"
    static let wireless = "org.freedesktop.NetworkManager.Device.Wireless"
    static let accessPoint = "org.freedesktop.NetworkManager.AccessPoint"
    static let settingsConnection = "org.freedesktop.NetworkManager.Settings.Connection"

    /// The path that means no object.
    static let none = "/"
    /// NM_ACTIVE_CONNECTION_STATE_ACTIVATED.
    static let activated = 2
    /// NM_DEVICE_TYPE_ETHERNET.
    static let ethernetDevice = 1
    /// NM_DEVICE_STATE_UNMANAGED.
    static let unmanaged = 10
    /// NM_802_11_MODE_AP: the machine itself offers the network.
    static let accessPointMode = 3

    /// The signals after which the network may have changed.
    static let changes = [manager, activeConnection, device, wireless].map {
        DBusMatch(
            sender: service, interface: BusName.properties, member: "PropertiesChanged", firstArgument: $0)
    }

    /// Whether a signal of `changes`, or of another service, may mean a change of the network. Most of NetworkManager's
    /// signals are about scans, bit rates and addresses.
    static func mayChangeNetwork(_ signal: DBusSignal) -> Bool {
        guard signal.member == "PropertiesChanged", let changed = signal.arguments.dropFirst().first?.named else {
            return true
        }
        switch signal.arguments.first?.text {
        case device: return changed["State"] != nil || changed["Udi"] != nil
        case wireless: return changed["ActiveAccessPoint"] != nil || changed["Mode"] != nil
        default: return true
        }
    }
}
