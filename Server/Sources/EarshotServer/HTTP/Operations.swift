import Hummingbird

/// The endpoints of the listener for operators: `/metrics`, `/livez`, and the health.
struct Operations: Sendable {
    let service: TokenService

    var endpoints: [Endpoint] {
        [
            Self.health(service),
            // It does not query the database, because a restart would not bring PostgreSQL back.
            Endpoint(.get, "/livez") { _, _ in try .json(HealthBody(status: "ok")) },
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
    /// The metrics with the current counts. While the database is unreachable, only the counters, which show that.
    func metricsText() async throws -> String {
        var gauges = [
            Gauge("earshot_connections", "Open connections.", Double(connections.count)),
            Gauge("earshot_streams", "Open event streams.", Double(hub.count)),
            Gauge(
                "earshot_sweep_lag_seconds", "Time since all that was due had been ended.", sweepLag / .seconds(1)),
            Gauge("earshot_build_info", "The version.", 1, labels: "version=\"\(EarshotServer.version)\""),
        ]
        gauges += store.gauges + ProcessMetrics.gauges
        do {
            let counts = try await store.counts()
            gauges += [
                Gauge("earshot_devices", "Devices with a session.", Double(counts.devices)),
                Gauge("earshot_live_publications", "Publications alive.", Double(counts.publications)),
                Gauge("earshot_live_subscriptions", "Subscriptions alive.", Double(counts.subscriptions)),
                Gauge("earshot_live_sightings", "Tokens that devices hear now.", Double(counts.sightings)),
                Gauge("earshot_waiting_writes", "Writes that wait for the disk.", Double(counts.waitingWrites)),
                Gauge(
                    "earshot_log_lag_seconds", "Time for which the oldest write waits.", counts.logLag / .seconds(1)),
            ]
        } catch let problem as Problem where problem == .storeAway {}
        return metrics.text(commits: store.commits.now, gauges: gauges)
    }
}
