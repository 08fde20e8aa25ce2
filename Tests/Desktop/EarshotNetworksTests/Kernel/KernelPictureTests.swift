import Testing

@testable import EarshotNetworks

@Suite("The network of the kernel's routes")
struct KernelPictureTests {
    private static let ship = Network.wifi(ssid: Array("Ship".utf8))

    /// eth0, wlan0 and a bridge, each with the network of its own link.
    private static func picture(_ defaults: [KernelPicture.Route], running: Set<Int> = [1, 2, 3]) -> KernelPicture {
        let links = [("eth0", Network.ethernet), ("wlan0", ship), ("br0", nil)].enumerated().map { index, link in
            KernelPicture.Link(
                index: index + 1, name: link.0, isRunning: running.contains(index + 1), network: link.1)
        }
        let own = [(1, 100), (2, 600), (3, 0)].map {
            KernelPicture.Route(isDefault: false, metric: $0.1, link: $0.0)
        }
        return KernelPicture(links: links, routes: own + defaults)
    }

    @Test("the default route of the lowest metric wins")
    func lowestMetric() {
        let routes = [
            KernelPicture.Route(isDefault: true, metric: 600, link: 1),
            KernelPicture.Route(isDefault: true, metric: 100, link: 2),
        ]
        #expect(Self.picture(routes).primary == Self.ship)
        #expect(Self.picture(routes, running: [1, 3]).primary == .ethernet)
        #expect(Self.picture(routes.reversed()).primary == Self.ship)
    }

    @Test("a default route of IPv4 wins over one of IPv6, and one of IPv6 over none")
    func versions() {
        let version6 = KernelPicture.Route(isVersion6: true, isDefault: true, metric: 0, link: 2)
        #expect(Self.picture([version6]).primary == Self.ship)
        #expect(
            Self.picture([version6, KernelPicture.Route(isDefault: true, metric: 900, link: 1)]).primary == .ethernet)
    }

    @Test("a default route through a bridge leads to an unknown network")
    func bridge() {
        #expect(Self.picture([KernelPicture.Route(isDefault: true, metric: 0, link: 3)]).primary == nil)
    }

    @Test("without a default route, the wired network wins, then Wi-Fi, and never a bridge")
    func noDefaultRoute() {
        #expect(Self.picture([]).primary == .ethernet)
        #expect(Self.picture([], running: [2, 3]).primary == Self.ship)
        #expect(Self.picture([], running: [3]).primary == nil)
        #expect(KernelPicture().primary == nil)
    }
}
