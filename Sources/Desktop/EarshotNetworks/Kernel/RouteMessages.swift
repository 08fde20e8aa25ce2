/// Reads links and routes from messages of rtnetlink.
///
/// Source: rtnetlink(7), and the kernel's linux/rtnetlink.h, linux/if_link.h and linux/if.h.
enum RouteMessages {
    static let getLink: UInt16 = 18
    static let getRoute: UInt16 = 26
    private static let newLink: UInt16 = 16
    private static let newRoute: UInt16 = 24

    /// The request for all links: an empty `ifinfomsg`.
    static let linkRequest = [UInt8](repeating: 0, count: linkHeaderByteCount)
    /// The request for all routes of a family: an `rtmsg` with only the family.
    static func routeRequest(family: UInt8) -> [UInt8] {
        [family] + [UInt8](repeating: 0, count: routeHeaderByteCount - 1)
    }

    static let version4: UInt8 = 2
    static let version6: UInt8 = 10

    private static let linkHeaderByteCount = 16
    private static let routeHeaderByteCount = 12

    /// The content of a message about a link.
    struct Link: Equatable {
        var index: Int
        var name: String
        /// ARPHRD_ETHER for Ethernet and Wi-Fi.
        var isEthernetLike: Bool
        var isRunning: Bool
    }

    /// The link in a message; nil for another message.
    static func link(_ message: NetlinkMessages.Message) -> Link? {
        let payload = message.payload
        guard message.type == newLink, payload.count >= linkHeaderByteCount,
            let hardware = payload.netlinkInteger(at: 2, UInt16.self),
            let index = payload.netlinkInteger(at: 4, Int32.self),
            let flags = payload.netlinkInteger(at: 8, UInt32.self)
        else { return nil }
        var name: String?
        var state: UInt8 = 0
        for attribute in NetlinkAttributes(payload.dropFirst(linkHeaderByteCount)) {
            switch attribute.type {
            case 3: name = attribute.text
            case 16: state = attribute.integer(UInt8.self) ?? 0
            default: break
            }
        }
        guard let name, !name.isEmpty, index > 0 else { return nil }
        // IFF_UP and IFF_LOWER_UP; the state is IF_OPER_UP, or unknown for drivers that do not report it.
        let isUp = flags & 0x1 != 0 && flags & 0x10000 != 0 && (state == 0 || state == 6)
        return Link(index: Int(index), name: name, isEthernetLike: hardware == 1, isRunning: isUp)
    }

    /// The routes in a message: none, or one for each next hop.
    static func routes(_ message: NetlinkMessages.Message) -> [KernelPicture.Route] {
        let payload = message.payload
        guard message.type == newRoute, payload.count >= routeHeaderByteCount,
            let family = payload.netlinkInteger(at: 0, UInt8.self), family == version4 || family == version6,
            let length = payload.netlinkInteger(at: 1, UInt8.self),
            let shortTable = payload.netlinkInteger(at: 4, UInt8.self),
            let type = payload.netlinkInteger(at: 7, UInt8.self),
            let flags = payload.netlinkInteger(at: 8, UInt32.self)
        else { return [] }
        var (table, metric, hasGateway) = (UInt32(shortTable), UInt32(0), false)
        var destination: ArraySlice<UInt8> = []
        var links: [Int] = []
        for attribute in NetlinkAttributes(payload.dropFirst(routeHeaderByteCount)) {
            switch attribute.type {
            case 1: destination = attribute.payload
            case 4: if let index = attribute.integer(Int32.self) { links.append(Int(index)) }
            case 5, 18: hasGateway = true
            case 6: metric = attribute.integer(UInt32.self) ?? 0
            case 9: links += nextHops(attribute.payload)
            case 15: table = attribute.integer(UInt32.self) ?? table
            default: break
            }
        }
        // RT_TABLE_MAIN, RTN_UNICAST, no RTM_F_CLONED, neither RTNH_F_DEAD nor RTNH_F_LINKDOWN.
        guard table == 254, type == 1, flags & 0x200 == 0, flags & 0x11 == 0 else { return [] }
        let isDefault = length == 0
        // Every link has the network fe80::/10.
        let begin = Array(destination.prefix(2))
        let isLinkLocal = family == version6 && begin.count == 2 && begin[0] == 0xFE && begin[1] & 0xC0 == 0x80
        guard isDefault || !hasGateway && !isLinkLocal else { return [] }
        return links.filter { $0 > 0 }.map {
            KernelPicture.Route(isVersion6: family == version6, isDefault: isDefault, metric: Int(metric), link: $0)
        }
    }

    /// The links of the next hops, `struct rtnexthop`: length, flags, hops, index.
    private static func nextHops(_ bytes: ArraySlice<UInt8>) -> [Int] {
        var (rest, links) = (bytes, [Int]())
        while let length = rest.netlinkInteger(at: 0, UInt16.self).map(Int.init), length >= 8, length <= rest.count,
            let flags = rest.netlinkInteger(at: 2, UInt8.self), let index = rest.netlinkInteger(at: 4, Int32.self)
        {
            if flags & 0x11 == 0 { links.append(Int(index)) }
            rest = rest.dropFirst(length.netlinkAligned)
        }
        return links
    }
}
