package import EarshotDBus

/// The networks of this machine.
///
/// NetworkManager tells them if it runs; otherwise iwd; otherwise the kernel. The watch changes between them as the
/// services come and go. It does not poll: D-Bus signals and netlink messages announce changes.
///
/// The primary network is the one of the default route, as on a phone. A network without internet may have no router,
/// and so no default route. If no network has one, the primary network is the joined one that would be preferred if
/// each had a default route: a wired network before Wi-Fi before a mobile network, and among equals the one joined
/// first. A hotspot that the machine itself offers does not count. For a VPN, the network that carries it counts.
public final class SystemNetworks: NetworkWatching {
    private let watch: NetworkWatch

    /// The networks reported by NetworkManager, iwd or the kernel.
    public convenience init() {
        self.init(bus: .system, kernel: SystemKernel())
    }

    /// The networks reported by services on a bus, or by a kernel.
    package init(bus: DBusBus, kernel: any Kernel) {
        watch = NetworkWatch(bus: bus, kernel: kernel)
    }

    /// The current situation, and then each change.
    public func situations() -> AsyncStream<NetworkSituation> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: NetworkSituation.self, bufferingPolicy: .bufferingNewest(16))
        let task = Task { [watch] in
            await watch.run { continuation.yield($0) }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}
