import EarshotNetworks
import EarshotPush

/// Networks in words.
enum PushText {
    static func name(_ network: Network?) -> String {
        switch network {
        case nil: "none that a configuration can name"
        case .wifi(let ssid): "Wi-Fi \(quoted(ssid))"
        case .ethernet: "Ethernet"
        case .mobile(let network):
            "mobile \(network.countryCode)-\(network.networkCode)"
                + (network.trackingAreaCode.map { " area \($0)" } ?? "")
        }
    }

    static func networks(of configuration: PushConfiguration) -> [String] {
        configuration.ssids.map { "Wi-Fi \(quoted($0))" } + (configuration.matchesEthernet ? ["Ethernet"] : [])
            + configuration.mobileNetworks.map { network in
                "mobile \(network.countryCode)-\(network.networkCode)"
                    + (network.trackingAreaCode.map { " area \($0)" } ?? "")
            }
    }

    /// A name as text, or its bytes as hexadecimal digits.
    private static func quoted(_ ssid: [UInt8]) -> String {
        if let text = String(validating: ssid, as: UTF8.self) { return "\"\(text)\"" }
        return "0x" + ssid.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
