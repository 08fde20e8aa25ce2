import Testing

@testable import EarshotNetworks

/// Messages as the kernel makes them.
enum KernelMessages {
    static func message(_ type: UInt16, _ payload: [UInt8]) -> NetlinkMessages.Message {
        NetlinkMessages.Message(type: type, flags: 0, sequence: 0, payload: payload[...])
    }

    static func link(
        index: Int32 = 3, name: String = "wlan0", hardware: UInt16 = 1, flags: UInt32 = 0x10003, state: UInt8 = 6
    ) -> [UInt8] {
        [0, 0] + NetlinkRequest.integer(hardware) + NetlinkRequest.integer(index) + NetlinkRequest.integer(flags)
            + [0, 0, 0, 0] + NetlinkRequest.attribute(3, Array(name.utf8) + [0])
            + NetlinkRequest.attribute(16, [state])
    }

    static func route(
        family: UInt8 = 2, length: UInt8 = 0, table: UInt8 = 254, type: UInt8 = 1, flags: UInt32 = 0,
        _ attributes: [(UInt16, [UInt8])]
    ) -> [UInt8] {
        [family, length, 0, 0, table, 3, 0, type] + NetlinkRequest.integer(flags)
            + attributes.flatMap { NetlinkRequest.attribute($0.0, $0.1) }
    }

    static func device(_ index: Int32) -> (UInt16, [UInt8]) { (4, NetlinkRequest.integer(index)) }
    static func metric(_ metric: UInt32) -> (UInt16, [UInt8]) { (6, NetlinkRequest.integer(metric)) }
    static let gateway: (UInt16, [UInt8]) = (5, [10, 0, 0, 1])

    static func interface(index: UInt32 = 3, kind: UInt32 = 2, ssid: [UInt8]?) -> [UInt8] {
        [7, 1, 0, 0] + NetlinkRequest.attribute(3, NetlinkRequest.integer(index))
            + NetlinkRequest.attribute(5, NetlinkRequest.integer(kind))
            + (ssid.map { NetlinkRequest.attribute(52, $0) } ?? [])
    }

    static let family: [UInt8] =
        [1, 2, 0, 0] + NetlinkRequest.attribute(2, Array("nl80211".utf8) + [0])
        + NetlinkRequest.attribute(1, NetlinkRequest.integer(UInt16(28)))
        + NetlinkRequest.attribute(
            7,
            NetlinkRequest.attribute(1, group("config", 5)) + NetlinkRequest.attribute(2, group("mlme", 8)))

    private static func group(_ name: String, _ number: UInt32) -> [UInt8] {
        NetlinkRequest.attribute(2, NetlinkRequest.integer(number))
            + NetlinkRequest.attribute(1, Array(name.utf8) + [0])
    }
}

@Suite("Links and routes of rtnetlink")
struct RouteMessagesTests {
    private func routes(_ payload: [UInt8]) -> [KernelPicture.Route] {
        RouteMessages.routes(KernelMessages.message(24, payload))
    }

    @Test("a link")
    func link() {
        let link = RouteMessages.link(KernelMessages.message(16, KernelMessages.link()))
        #expect(link == RouteMessages.Link(index: 3, name: "wlan0", isEthernetLike: true, isRunning: true))
        #expect(RouteMessages.link(KernelMessages.message(17, KernelMessages.link())) == nil)
    }

    @Test("a link that is down, has no carrier or waits for its key does not run")
    func notRunning() {
        let links = [
            KernelMessages.link(flags: 0x10002), KernelMessages.link(flags: 0x3), KernelMessages.link(state: 5),
            KernelMessages.link(state: 2),
        ]
        for link in links {
            #expect(RouteMessages.link(KernelMessages.message(16, link))?.isRunning == false)
        }
        let quiet = KernelMessages.link(state: 0)
        #expect(RouteMessages.link(KernelMessages.message(16, quiet))?.isRunning == true)
    }

    @Test("a default route, and the route to the link's own network")
    func kinds() {
        let attributes = [KernelMessages.device(3), KernelMessages.metric(600)]
        #expect(
            routes(KernelMessages.route(attributes + [KernelMessages.gateway]))
                == [KernelPicture.Route(isDefault: true, metric: 600, link: 3)])
        #expect(
            routes(KernelMessages.route(length: 24, attributes + [(1, [10, 0, 0, 0])]))
                == [KernelPicture.Route(isDefault: false, metric: 600, link: 3)])
        #expect(
            routes(KernelMessages.route(family: 10, attributes))
                == [KernelPicture.Route(isVersion6: true, isDefault: true, metric: 600, link: 3)])
    }

    @Test("routes of other tables, other types, dead ones and those to other networks do not count")
    func others() {
        let device = KernelMessages.device(3)
        #expect(routes(KernelMessages.route(table: 255, [device])).isEmpty)
        #expect(routes(KernelMessages.route([device, (15, NetlinkRequest.integer(UInt32(51_820)))])).isEmpty)
        #expect(routes(KernelMessages.route(type: 7, [device])).isEmpty)
        #expect(routes(KernelMessages.route(flags: 0x10, [device])).isEmpty)
        #expect(routes(KernelMessages.route(flags: 0x200, [device])).isEmpty)
        #expect(routes(KernelMessages.route(length: 16, [device, KernelMessages.gateway])).isEmpty)
        #expect(routes(KernelMessages.route(family: 7, [device])).isEmpty)
        #expect(routes(KernelMessages.route([])).isEmpty)
    }

    @Test("the network fe80::/10 of each link does not count, and fec0:: and fe00:: do")
    func linkLocal() {
        func count(_ second: UInt8) -> Int {
            routes(
                KernelMessages.route(
                    family: 10, length: 64,
                    [KernelMessages.device(3), (1, [0xFE, second] + [UInt8](repeating: 0, count: 14))])
            ).count
        }
        #expect([0x80, 0xBF, 0xC0, 0x00].map(count) == [0, 0, 1, 1])
    }

    @Test("a route with several next hops counts for each that lives")
    func nextHops() {
        func hop(_ index: Int32, flags: UInt8 = 0) -> [UInt8] {
            NetlinkRequest.integer(UInt16(8)) + [flags, 0] + NetlinkRequest.integer(index)
        }
        let route = KernelMessages.route([(9, hop(3) + hop(4, flags: 0x11) + hop(5))])
        #expect(routes(route).map(\.link) == [3, 5])
        #expect(routes(KernelMessages.route([(9, hop(3) + [4, 0, 0, 0])])).map(\.link) == [3])
    }
}

@Suite("Wi-Fi interfaces of nl80211")
struct WirelessMessagesTests {
    private static let family = WirelessMessages.Family(number: 28, groups: ["config": 5, "mlme": 8])

    private func interface(_ payload: [UInt8], type: UInt16 = 28) -> WirelessMessages.Interface? {
        WirelessMessages.interface(KernelMessages.message(type, payload), family: Self.family)
    }

    @Test("the numbers of the family and of its groups")
    func family() {
        #expect(WirelessMessages.family(KernelMessages.message(0x10, KernelMessages.family)) == Self.family)
        #expect(WirelessMessages.family(KernelMessages.message(0x11, KernelMessages.family)) == nil)
    }

    @Test(
        "SSIDs are bytes",
        arguments: [
            Array("My Cruise Ship Wi-Fi".utf8), [0xFF, 0x00, 0xC3, 0x28], [UInt8](repeating: 0xAA, count: 32), [],
        ])
    func ssid(ssid: [UInt8]) {
        #expect(interface(KernelMessages.interface(ssid: ssid)) == .init(index: 3, ssid: ssid, isStation: true))
    }

    @Test("an access point, a station without a network, and an SSID of 33 bytes do not count as a network")
    func noNetwork() {
        let none = WirelessMessages.Interface(index: 3, ssid: nil, isStation: true)
        let point = WirelessMessages.Interface(index: 3, ssid: nil, isStation: false)
        #expect(interface(KernelMessages.interface(kind: 3, ssid: Array("Ship".utf8))) == point)
        #expect(interface(KernelMessages.interface(ssid: nil)) == none)
        #expect(interface(KernelMessages.interface(ssid: [UInt8](repeating: 65, count: 33))) == none)
        #expect(interface(KernelMessages.interface(ssid: []), type: 29) == nil)
        #expect(interface(KernelMessages.interface(index: 0, ssid: [])) == nil)
    }

    @Test("the SSID of the access point with which the interface is associated, and of no other")
    func associated() {
        func ssid(_ elements: [UInt8], status: UInt32?, command: UInt8 = 34) -> [UInt8]? {
            let point =
                NetlinkRequest.attribute(6, elements)
                + (status.map { NetlinkRequest.attribute(9, NetlinkRequest.integer($0)) } ?? [])
            return WirelessMessages.associatedSSID(
                KernelMessages.message(28, [command, 1, 0, 0] + NetlinkRequest.attribute(47, point)),
                family: Self.family)
        }
        #expect(ssid([1, 1, 0x82, 0, 3, 0xFF, 0, 0x41, 3, 1, 6], status: 1) == [0xFF, 0, 0x41])
        #expect(ssid([0, 0, 1, 1, 0x82], status: 1) == [])
        #expect(ssid([0, 1, 65], status: 0) == nil && ssid([0, 1, 65], status: nil) == nil)
        #expect(ssid([0, 1, 65], status: 1, command: 7) == nil)
        #expect(ssid([0, 5, 65], status: 1) == nil && ssid([0], status: 1) == nil && ssid([], status: 1) == nil)
        #expect(ssid([0, 33] + [UInt8](repeating: 65, count: 33), status: 1) == nil)
    }
}
