/// The links and routes of one moment.
package struct KernelPicture: Sendable, Hashable {
    /// A network interface.
    package struct Link: Sendable, Hashable {
        package var index: Int
        package var name: String
        /// Whether it can carry data now.
        package var isRunning: Bool
        /// The network that it is connected to, if it is of a known kind; nil otherwise, also for Wi-Fi without a
        /// connection.
        package var network: Network?
        /// Whether it is a Wi-Fi interface of nl80211.
        package var isWireless: Bool

        package init(index: Int, name: String, isRunning: Bool, network: Network?, isWireless: Bool = false) {
            self.index = index
            self.name = name
            self.isRunning = isRunning
            self.network = network
            self.isWireless = isWireless
        }
    }

    /// A route of the main table.
    package struct Route: Sendable, Hashable {
        /// Whether it is an IPv6 route.
        package var isVersion6: Bool
        /// Whether it is a default route. Others lead to the network of the link itself.
        package var isDefault: Bool
        /// Lower is preferred.
        package var metric: Int
        /// The index of its link.
        package var link: Int

        package init(isVersion6: Bool = false, isDefault: Bool, metric: Int, link: Int) {
            self.isVersion6 = isVersion6
            self.isDefault = isDefault
            self.metric = metric
            self.link = link
        }
    }

    package var links: [Link]
    package var routes: [Route]

    package init(links: [Link] = [], routes: [Route] = []) {
        self.links = links
        self.routes = routes
    }
}

extension KernelPicture {
    /// The link of the default route: that of IPv4, otherwise that of IPv6.
    var defaultLink: Link? {
        let running = running
        let defaults = routes.filter { $0.isDefault && running[$0.link] != nil }
        // The first of equals, as in the kernel.
        let route = defaults.min { left, right in
            (left.isVersion6 ? 1 : 0, left.metric) < (right.isVersion6 ? 1 : 0, right.metric)
        }
        return route.flatMap { running[$0.link] }
    }

    /// The link of the default route. If there is none, the link to a known network that would be preferred.
    var primaryLink: Link? {
        if let link = defaultLink { return link }
        let running = running
        let candidates = routes.compactMap { route in
            running[route.link].flatMap { $0.network == nil ? nil : (route: route, link: $0) }
        }
        return candidates.min { left, right in
            Self.order(left.route, left.link) < Self.order(right.route, right.link)
        }?.link
    }

    /// The network of the primary link.
    var primary: Network? { primaryLink?.network }

    private static func order(_ route: Route, _ link: Link) -> (Int, Int, Int) {
        (link.network == .ethernet ? 0 : 1, route.metric, link.index)
    }

    private var running: [Int: Link] {
        var running: [Int: Link] = [:]
        for link in links where link.isRunning { running[link.index] = link }
        return running
    }
}
