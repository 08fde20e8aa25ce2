import Hummingbird

/// The endpoints of the listener for operators: `/metrics`, and the health once more.
struct Operations: Sendable {
    let service: TokenService

    var endpoints: [Endpoint] {
        [
            Self.health(service),
            Endpoint(.get, "/metrics") { _, _ in
                .text(try await service.metricsText(), type: "text/plain; version=0.0.4; charset=utf-8")
            },
        ]
    }

    static func health(_ service: TokenService) -> Endpoint {
        Endpoint(.get, "/healthz") { _, _ in
            try await service.health.check()
            return try .json(HealthBody(status: "ok"))
        }
    }
}

extension TokenService {
    /// The metrics, with the current counts. While the database is away, the counters alone: they say that it is.
    func metricsText() async throws -> String {
        let own = [
            ("earshot_connections", "Open connections.", connections.count),
            ("earshot_streams", "Open event streams.", hub.count),
        ]
        let counts: StoreCounts
        do {
            counts = try await store.counts()
        } catch let problem as Problem where problem == .storeAway {
            return metrics.text(gauges: own)
        }
        return metrics.text(
            gauges: [
                ("earshot_devices", "Devices with a session.", counts.devices),
                ("earshot_live_publications", "Publications alive.", counts.publications),
                ("earshot_live_subscriptions", "Subscriptions alive.", counts.subscriptions),
                ("earshot_live_sightings", "Tokens that devices hear now.", counts.sightings),
                ("earshot_waiting_writes", "Writes that wait for the disk.", counts.waitingWrites),
            ] + own)
    }
}
