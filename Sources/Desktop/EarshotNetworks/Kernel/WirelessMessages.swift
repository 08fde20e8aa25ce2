/// Reads Wi-Fi interfaces from messages of generic netlink's family `nl80211`.
///
/// Source: the kernel's linux/genetlink.h and linux/nl80211.h.
enum WirelessMessages {
    /// The family that has the numbers of the others.
    static let controlFamily: UInt16 = 0x10
    private static let headerByteCount = 4

    /// The request for the numbers of a family: CTRL_CMD_GETFAMILY with the name.
    static func familyRequest(_ name: String) -> [UInt8] {
        [3, 1, 0, 0] + NetlinkRequest.attribute(2, Array(name.utf8) + [0])
    }

    /// The request for all interfaces: NL80211_CMD_GET_INTERFACE.
    static let interfaceRequest: [UInt8] = [5, 0, 0, 0]

    /// The numbers of a family.
    struct Family: Equatable {
        var number: UInt16
        /// The numbers of its groups of events, by name.
        var groups: [String: UInt32] = [:]
    }

    /// The family in a message; nil for another message.
    static func family(_ message: NetlinkMessages.Message) -> Family? {
        guard message.type == controlFamily, message.payload.count >= headerByteCount else { return nil }
        var number: UInt16?
        var groups: [String: UInt32] = [:]
        for attribute in NetlinkAttributes(message.payload.dropFirst(headerByteCount)) {
            switch attribute.type {
            case 1: number = attribute.integer(UInt16.self)
            case 7:
                for entry in NetlinkAttributes(attribute.payload) {
                    let parts = Array(NetlinkAttributes(entry.payload))
                    guard let name = parts.first(where: { $0.type == 1 })?.text,
                        let group = parts.first(where: { $0.type == 2 })?.integer(UInt32.self)
                    else { continue }
                    groups[name] = group
                }
            default: break
            }
        }
        return number.map { Family(number: $0, groups: groups) }
    }

    /// A Wi-Fi interface.
    struct Interface: Equatable {
        var index: Int
        /// The network that it has joined; nil if there is none, if the kernel does not report it, and for an access
        /// point.
        var ssid: [UInt8]?
        /// Whether it joins networks instead of being an access point.
        var isStation: Bool
    }

    /// The interface in a message; nil for another message.
    static func interface(_ message: NetlinkMessages.Message, family: Family) -> Interface? {
        // NL80211_CMD_NEW_INTERFACE.
        guard message.type == family.number, message.payload.count >= headerByteCount, message.payload.first == 7 else {
            return nil
        }
        var index: UInt32?
        var kind: UInt32 = 0
        var ssid: [UInt8]?
        for attribute in NetlinkAttributes(message.payload.dropFirst(headerByteCount)) {
            switch attribute.type {
            case 3: index = attribute.integer(UInt32.self)
            case 5: kind = attribute.integer(UInt32.self) ?? 0
            case 52: ssid = attribute.payload.count <= Network.maximumSSIDByteCount ? Array(attribute.payload) : nil
            default: break
            }
        }
        // NL80211_IFTYPE_STATION and _P2P_CLIENT join networks.
        guard let index, index > 0 else { return nil }
        let isStation = kind == 2 || kind == 8
        return Interface(index: Int(index), ssid: isStation ? ssid : nil, isStation: isStation)
    }

    /// The request for the access points that an interface knows: NL80211_CMD_GET_SCAN.
    static func scanRequest(index: Int) -> [UInt8] {
        [32, 0, 0, 0] + NetlinkRequest.attribute(3, NetlinkRequest.integer(UInt32(truncatingIfNeeded: index)))
    }

    /// The SSID of the access point in a message, if the interface is associated with it; otherwise nil.
    ///
    /// If wpa_supplicant joins step by step, Linux 6.1 reports the SSID of a station only here.
    static func associatedSSID(_ message: NetlinkMessages.Message, family: Family) -> [UInt8]? {
        // NL80211_CMD_NEW_SCAN_RESULTS, with NL80211_ATTR_BSS.
        guard message.type == family.number, message.payload.count >= headerByteCount, message.payload.first == 34,
            let point = NetlinkAttributes(message.payload.dropFirst(headerByteCount)).first(where: { $0.type == 47 })
        else { return nil }
        var isAssociated = false
        var elements: ArraySlice<UInt8> = []
        for attribute in NetlinkAttributes(point.payload) {
            switch attribute.type {
            // NL80211_BSS_INFORMATION_ELEMENTS; NL80211_BSS_STATUS is NL80211_BSS_STATUS_ASSOCIATED.
            case 6: elements = attribute.payload
            case 9: isAssociated = attribute.integer(UInt32.self) == 1
            default: break
            }
        }
        return isAssociated ? ssid(elements: elements) : nil
    }

    /// The SSID among the elements of a beacon: number, length and content of each; the SSID has the number 0. Empty if the access
    /// point hides it.
    ///
    /// Source: IEEE 802.11-2020, 9.4.2.
    static func ssid(elements: ArraySlice<UInt8>) -> [UInt8]? {
        var rest = elements
        while rest.count >= 2 {
            let (number, length) = (rest[rest.startIndex], Int(rest[rest.startIndex + 1]))
            rest = rest.dropFirst(2)
            guard length <= rest.count else { return nil }
            if number == 0 { return length <= Network.maximumSSIDByteCount ? Array(rest.prefix(length)) : nil }
            rest = rest.dropFirst(length)
        }
        return nil
    }
}
