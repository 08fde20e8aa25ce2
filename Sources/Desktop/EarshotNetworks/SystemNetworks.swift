package import EarshotDBus

/// The networks of this machine.
///
/// NetworkManager tells them where it runs; else iwd; else the kernel. The watch changes from one to another as the services come
/// and go. It does not poll: D-Bus signals and netlink messages say when to look again.
///
/// The primary network is the one of the default route, as on a phone. A network without internet may have no router, and so no
/// default route. If no network has one, the primary network is the joined one that would be preferred if each had a default
/// route: a wired network before Wi-Fi before a mobile network, and the one that was joined first among equals. A hotspot that the
/// machine itself offers does not count. Below a VPN the network that carries it counts.
public final class SystemNetworks: NetworkWatching {
    private let watch: NetworkWatch

    /// The networks that NetworkManager, iwd or the kernel tell.
    public convenience init() {
        self.init(bus: .system, kernel: SystemKernel())
    }

    /// The networks that services on a bus, or a kernel, tell.
    package init(bus: DBusBus, kernel: any Kernel) {
        watch = NetworkWatch(bus: bus, kernel: kernel)
    }

    /// The present situation, and then each change.
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
