import EarshotSystem
import Glibc

/// The kernel of this machine, through netlink. No privilege is needed.
package struct SystemKernel: Kernel {
    package init() {}

    /// A machine has few links. A container host may have hundreds.
    private static let maximumLinkCount = 16_384
    private static let maximumRouteCount = 16_384

    package func picture() throws(KernelError) -> KernelPicture {
        let socket = try NetlinkSocket(.route)
        var links: [RouteMessages.Link] = []
        try socket.list(
            type: RouteMessages.getLink, payload: RouteMessages.linkRequest, restart: { links = [] },
            take: { message in
                if links.count < Self.maximumLinkCount, let link = RouteMessages.link(message) { links.append(link) }
            })
        var routes: [KernelPicture.Route] = []
        for family in [RouteMessages.version4, RouteMessages.version6] {
            var found: [KernelPicture.Route] = []
            try socket.list(
                type: RouteMessages.getRoute, payload: RouteMessages.routeRequest(family: family),
                restart: { found = [] },
                take: { message in
                    if found.count < Self.maximumRouteCount { found += RouteMessages.routes(message) }
                })
            routes += found
        }
        let wireless = try Self.wireless()
        return KernelPicture(
            links: links.map { link in
                KernelPicture.Link(
                    index: link.index, name: link.name, isRunning: link.isRunning,
                    network: Self.network(link, wireless), isWireless: wireless[link.index] != nil)
            }, routes: routes)
    }

    private static func network(
        _ link: RouteMessages.Link, _ wireless: [Int: WirelessMessages.Interface]
    ) -> Network? {
        if let interface = wireless[link.index] { return interface.ssid.map { .wifi(ssid: $0) } }
        return link.isEthernetLike && NetworkCard.isWired(link.name) ? .ethernet : nil
    }

    /// The Wi-Fi interfaces by their indices; none if the kernel has no Wi-Fi.
    private static func wireless() throws(KernelError) -> [Int: WirelessMessages.Interface] {
        let socket = try NetlinkSocket(.generic)
        guard let family = try family(socket) else { return [:] }
        var interfaces: [Int: WirelessMessages.Interface] = [:]
        try socket.list(
            type: family.number, payload: WirelessMessages.interfaceRequest, restart: { interfaces = [:] },
            take: { message in
                guard let interface = WirelessMessages.interface(message, family: family) else { return }
                interfaces[interface.index] = interface
            })
        for (index, interface) in interfaces where interface.isStation && interface.ssid == nil {
            var ssid: [UInt8]?
            try socket.list(
                type: family.number, payload: WirelessMessages.scanRequest(index: index), restart: { ssid = nil },
                take: { ssid = WirelessMessages.associatedSSID($0, family: family) ?? ssid })
            interfaces[index]?.ssid = ssid
        }
        return interfaces
    }

    fileprivate static func family(_ socket: NetlinkSocket) throws(KernelError) -> WirelessMessages.Family? {
        var family: WirelessMessages.Family?
        do throws(KernelError) {
            try socket.ask(
                type: WirelessMessages.controlFamily, flags: NetlinkRequest.request,
                payload: WirelessMessages.familyRequest("nl80211"),
                take: { family = WirelessMessages.family($0) ?? family })
        } catch {
            if error.number == ENOENT { return nil }
            throw error
        }
        return family
    }

    package func receiveChanges(_ change: @escaping @Sendable () -> Void) -> KernelReception {
        let (worker, bell) = (Worker(), Bell())
        worker.start {
            // Without sockets there are no events; `picture` fails as well and says why.
            guard let events = try? Events() else { return }
            events.serve(bell, worker, change)
        }
        return KernelReception {
            worker.requestStop()
            bell.ring()
        }
    }
}

/// The sockets for the kernel's events.
private final class Events {
    private let routes: NetlinkSocket
    private let wireless: NetlinkSocket
    private var joined: UInt32?

    init() throws(KernelError) {
        // RTMGRP_LINK, RTMGRP_IPV4_ROUTE and RTMGRP_IPV6_ROUTE.
        routes = try NetlinkSocket(.route, groups: 0x1 | 0x40 | 0x400, waits: false)
        wireless = try NetlinkSocket(.generic, waits: false)
        try joinWireless()
    }

    /// Receives connections and disconnections of Wi-Fi. The kernel may load its Wi-Fi at any time, which a new link
    /// shows.
    private func joinWireless() throws(KernelError) {
        let questions = try NetlinkSocket(.generic)
        let group = try SystemKernel.family(questions)?.groups["mlme"]
        guard group != joined else { return }
        if let group, wireless.join(group: group) { joined = group }
    }

    /// Calls `change` after events, until the worker is asked to stop.
    func serve(_ bell: Bell, _ worker: Worker, _ change: () -> Void) {
        // For changes before the sockets received events.
        change()
        while !worker.isStopping {
            var descriptors = [routes.descriptor, wireless.descriptor, bell.descriptor].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            guard poll(&descriptors, 3, -1) >= 0 || errno == EINTR else { return }
            guard !worker.isStopping else { return }
            let isLive = routes.drain() && wireless.drain()
            if descriptors[0].revents != 0 { try? joinWireless() }
            change()
            if !isLive { return }
        }
    }
}

/// Wakes a thread that waits in `poll`.
private final class Bell: Sendable {
    private let ends: (ear: Int32, button: Int32)

    init() {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        if socketpair(AF_UNIX, type, 0, &ends) != 0 { ends = [-1, -1] }
        self.ends = (ends[0], ends[1])
    }

    deinit {
        for end in [ends.ear, ends.button] where end >= 0 { close(end) }
    }

    /// Readable once the bell has rung; -1 if the system has no more descriptors.
    var descriptor: Int32 { ends.ear }

    func ring() {
        var byte: UInt8 = 1
        _ = write(ends.button, &byte, 1)
    }
}
