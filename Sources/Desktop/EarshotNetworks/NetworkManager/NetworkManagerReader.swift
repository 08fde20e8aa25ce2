import EarshotDBus

/// Asks NetworkManager for the network of the primary connection.
struct NetworkManagerReader: Sendable {
    let connection: DBusConnection
    let kernel: any Kernel

    /// The maximum number of VPNs on top of each other.
    private static let maximumDepth = 4
    /// The maximum number of connections to check.
    private static let maximumConnectionCount = 64

    /// The relevant parts of an active connection.
    private struct Found {
        var network: Network?
        var isWithoutAccessPoint = false
        /// The kernel's name of the interface; nil below a VPN.
        var interface: String?
        /// Lower is preferred, as by NetworkManager's metrics of default routes.
        var rank: Int {
            switch network {
            case .ethernet: 0
            case .wifi: 1
            case .mobile: 2
            case nil: 3
            }
        }
    }

    /// Reads NetworkManager's answer.
    /// - Returns: nil if there is none: it is starting, or the default route is not its own.
    /// - Throws: if it does not run, does not answer or refuses.
    func reading() async throws(DBusError) -> NetworkReading? {
        let manager = try await properties(NetworkManagerName.path, NetworkManagerName.manager)
        if let primary = manager["PrimaryConnection"]?.text, primary != NetworkManagerName.none {
            let found = try await self.found(primary)
            return NetworkReading(
                primary: found.network, source: .networkManager, isWithoutAccessPoint: found.isWithoutAccessPoint)
        }
        let active = manager["ActiveConnections"]?.elements?.compactMap(\.text) ?? []
        var best: Found?
        // The numbers of connections follow the order in which they began.
        for path in active.sorted(by: { ($0.utf8.count, $0) < ($1.utf8.count, $1) })
            .prefix(Self.maximumConnectionCount)
        {
            let candidate = try await found(path, mustBeActivated: true)
            if candidate.network == nil, !candidate.isWithoutAccessPoint { continue }
            if best.map({ candidate.rank < $0.rank }) ?? true { best = candidate }
        }
        if let best {
            // A default route that is not NetworkManager's, such as one of `ip route`, has precedence over its
            // connections.
            if let link = try? kernel.picture().defaultLink, let interface = best.interface, link.name != interface {
                return nil
            }
            return NetworkReading(
                primary: best.network, source: .networkManager, isWithoutAccessPoint: best.isWithoutAccessPoint)
        }
        // After a start it needs a moment to learn what is connected.
        if manager["Startup"]?.boolean == true { return nil }
        if try await isDefaultRouteForeign() { return nil }
        return NetworkReading(primary: nil, source: .networkManager)
    }

    /// Whether the default route belongs to a device that NetworkManager does not manage.
    private func isDefaultRouteForeign() async throws(DBusError) -> Bool {
        guard let picture = try? kernel.picture(), let link = picture.defaultLink else { return false }
        do throws(DBusError) {
            let path =
                try await connection.ask(
                    NetworkManagerName.service, NetworkManagerName.path, NetworkManagerName.manager,
                    "GetDeviceByIpIface", [.string(link.name)]
                ).first?.text ?? NetworkManagerName.none
            return try await properties(path, NetworkManagerName.device)["State"]?.integer
                == NetworkManagerName.unmanaged
        } catch {
            if error.isRefusal("UnknownDevice") { return true }
            throw error
        }
    }

    private func found(_ path: String, mustBeActivated: Bool = false, depth: Int = 0) async throws(DBusError) -> Found {
        let active = try await properties(path, NetworkManagerName.activeConnection)
        if mustBeActivated, active["State"]?.integer != NetworkManagerName.activated { return Found() }
        switch active["Type"]?.text {
        case "802-11-wireless": return try await wifi(active)
        case "802-3-ethernet":
            // A virtual card can also have a connection of this type.
            guard let device = device(active) else { return Found() }
            let values = try await properties(device, NetworkManagerName.device)
            return Found(
                network: values["DeviceType"]?.integer == NetworkManagerName.ethernetDevice ? .ethernet : nil,
                interface: values["Interface"]?.text)
        case "gsm":
            guard let device = device(active) else { return Found() }
            let modem = try await properties(device, NetworkManagerName.device)["Udi"]?.text ?? ""
            return Found(network: await ModemManagerReader(connection: connection).network(modem: modem))
        case "vpn":
            // Its own object names the connection that carries it.
            guard depth < Self.maximumDepth, let base = active["SpecificObject"]?.text,
                base != NetworkManagerName.none, base != path
            else { return Found() }
            var found = try await found(base, mustBeActivated: mustBeActivated, depth: depth + 1)
            found.interface = nil
            return found
        default: return Found()
        }
    }

    private func wifi(_ active: [String: DBusValue]) async throws(DBusError) -> Found {
        guard let device = device(active) else { return Found() }
        let wireless = try await properties(device, NetworkManagerName.wireless)
        guard wireless["Mode"]?.integer != NetworkManagerName.accessPointMode else { return Found() }
        guard let accessPoint = wireless["ActiveAccessPoint"]?.text, accessPoint != NetworkManagerName.none else {
            return Found(isWithoutAccessPoint: true)
        }
        // NetworkManager keeps the connection for 15 s after its access point is gone, and also the access point if it
        // fell silent. The kernel reports the true state.
        let name = try await properties(device, NetworkManagerName.device)["Interface"]?.text
        if let link = try? kernel.picture().links.first(where: { $0.name == name }), link.isWireless,
            link.network == nil
        {
            return Found(isWithoutAccessPoint: true)
        }
        var ssid = try await properties(accessPoint, NetworkManagerName.accessPoint)["Ssid"]?.bytes ?? []
        // A hidden access point sends no name. The user's profile has it.
        if ssid.isEmpty { ssid = await configuredSSID(active) ?? [] }
        return Found(network: ssid.count <= Network.maximumSSIDByteCount ? .wifi(ssid: ssid) : nil, interface: name)
    }

    /// The SSID in the profile of a connection; nil if this user may not read the profile.
    private func configuredSSID(_ active: [String: DBusValue]) async -> [UInt8]? {
        guard let profile = active["Connection"]?.text,
            let answer = try? await connection.ask(
                NetworkManagerName.service, profile, NetworkManagerName.settingsConnection, "GetSettings")
        else { return nil }
        return answer.first?.named?["802-11-wireless"]?.named?["ssid"]?.bytes
    }

    private func device(_ active: [String: DBusValue]) -> String? {
        active["Devices"]?.elements?.first?.text
    }

    private func properties(_ path: String, _ interface: String) async throws(DBusError) -> [String: DBusValue] {
        try await connection.properties(NetworkManagerName.service, path, interface)
    }
}

extension Network {
    /// The maximum length of an SSID.
    ///
    /// Source: IEEE 802.11-2020, 9.4.2.2.
    static let maximumSSIDByteCount = 32
}
