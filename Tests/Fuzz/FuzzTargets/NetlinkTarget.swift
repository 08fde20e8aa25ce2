@testable import EarshotNetworks

/// Values that the parser finds in any bytes are within their bounds.
func fuzzNetlink(_ bytes: [UInt8]) {
    for message in NetlinkMessages(bytes[...]) {
        require(message.payload.count <= bytes.count, "\(message.payload.count) of \(bytes.count) bytes")
        if let link = RouteMessages.link(message) { require(link.index > 0 && !link.name.isEmpty, "\(link)") }
        let routes = RouteMessages.routes(message)
        require(routes.count <= bytes.count / 4, "\(routes.count) routes in \(bytes.count) bytes")
        require(routes.allSatisfy { $0.link > 0 && $0.metric >= 0 }, "\(routes)")
        _ = WirelessMessages.family(message)
        if let interface = WirelessMessages.interface(message, family: .init(number: 28)) {
            require(interface.index > 0 && interface.ssid?.count ?? 0 <= 32, "\(interface)")
        }
        let ssid = WirelessMessages.associatedSSID(message, family: .init(number: 28))
        require(ssid?.count ?? 0 <= 32, "\(ssid ?? [])")
    }
    // The elements of an access point, which the kernel passes on unchecked.
    let ssid = WirelessMessages.ssid(elements: bytes[...])
    require(ssid?.count ?? 0 <= 32, "\(ssid ?? [])")
}
