/// How bluetoothd was started, as far as it changes what an adapter can do here.
///
/// bluetoothd 5.66 to 5.87 offers `AdvertisementMonitorManager1` only with its experimental interfaces, so that interface tells
/// one from the other. Before 5.77 the interval of advertisements was experimental too.
public enum BluetoothdKind: String, Sendable, Hashable {
    /// With `--experimental`, or with `Experimental = true` in its configuration.
    case experimental
    /// Without.
    case stock

    init(offersMonitors: Bool) {
        self = offersMonitors ? .experimental : .stock
    }

    /// Text for the user.
    public var text: String { "bluetoothd runs \(self == .experimental ? "with" : "without") --experimental" }

    /// One line for the user: what this kind costs, and what to do about it; nil if there is nothing to do.
    public var advice: String? {
        switch self {
        case .experimental: nil
        case .stock:
            "Scans send requests, and an adapter of Bluetooth 5 may send only every 1.28 s. To change that, write 'Experimental = true' "
                + "below [General] in /etc/bluetooth/main.conf, then run 'systemctl restart bluetooth'."
        }
    }
}
