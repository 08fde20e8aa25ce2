#if Postgres
    import EarshotPostgres
    import FoundationEssentials
    import NearbyWire

    extension PostgresStore {
        func report(_ report: SightingReport) async throws -> SightingAnswer {
            let parameters: [PostgresValue] = [
                .integer(report.session.device), .integer(report.session.project),
                .integers(report.heard.map { TokenNumber.number($0.bytes) }),
                .integers(report.heard.map { $0.age.milliseconds }),
                .integers(report.lost.map(TokenNumber.number)), .duration(report.lifetime),
                .integer(Int64(report.perDevice)),
            ]
            let row = try await perform { connection, fixed in
                try connection.execute(
                    "SELECT * FROM report($1, $2, $3, $4, $5, $6, $7, $8)", parameters + [fixed])[0]
            }
            guard row.isNull(0) else { throw Problem.quota("sightings", limit: report.perDevice, per: "device") }
            func statuses(_ column: Int) -> [TokenStatus] {
                row.words(column).map { TokenStatus(rawValue: $0) ?? .invalid }
            }
            return SightingAnswer(heard: statuses(1), lost: statuses(2), woken: Woken(row, from: 3))
        }

        func sweep(_ limits: ServiceLimits) async throws -> Swept {
            try await updateClock()
            let lifetime = PostgresValue.duration(limits.sightingLifetime)
            let isSweeper = try await perform { connection, fixed in
                try connection.execute("SELECT begin_sweep($1, $2)", [lifetime, fixed])[0].boolean(0)
            }
            guard isSweeper else { return Swept() }
            var woken = Woken()
            for step in ["sweep_devices", "sweep_publications"] { woken = woken + (try await sweep(step, [])) }
            _ = try await perform { connection, fixed in
                try connection.execute("SELECT sweep_subscriptions($1, $2)", [Self.maximum, fixed])
            }
            woken = woken + (try await sweep("sweep_sightings", [.duration(limits.silence)]))
            _ = try await perform { connection, fixed in
                try connection.execute("SELECT forget($1, $2, $3)", [Self.maximum, .duration(limits.memory), fixed])
            }
            _ = try await perform { connection, _ in try connection.execute("SELECT refresh_plans()") }
            return Swept(woken: woken)
        }

        /// The maximum number of items of each kind in one step, so that no call waits long for it.
        private static let maximum = PostgresValue.integer(500)

        private func sweep(_ step: String, _ parameters: [PostgresValue]) async throws -> Woken {
            try await perform { connection, fixed in
                let names = (1...parameters.count + 2).map { "$\($0)" }.joined(separator: ", ")
                let row = try connection.execute(
                    "SELECT * FROM \(step)(\(names))", [Self.maximum] + parameters + [fixed])[0]
                return Woken(row, from: 0)
            }
        }

        func bound(_ limits: ServiceLimits) async throws {
            try await transaction { connection, now in
                // If the clock was set back this concerns every row, which takes longer than a request may take. A timeout here would keep
                // every node from starting, again and again.
                try connection.execute("SET LOCAL statement_timeout = 0")
                for (table, column, maximum) in [
                    ("device", "expires_at", limits.sessionLifetime),
                    ("publication", "expires_at", limits.maximumTimeToLive), ("publication", "ended_at", .zero),
                    ("subscription", "expires_at", limits.maximumTimeToLive),
                    ("token", "expires_at", limits.tokenLifetime), ("token", "issued_at", .zero),
                    ("delivery", "changed_at", .zero), ("delivery", "assumed_until", limits.sightingLifetime),
                    ("sighting", "expires_at", limits.sightingLifetime), ("presence", "reported_at", .zero),
                    ("rate", "updated_at", .zero),
                ] as [(String, String, Duration)] {
                    try connection.execute(
                        "UPDATE \(table) SET \(column) = $1 WHERE \(column) > $1",
                        [.integer((now + maximum).milliseconds)])
                }
            }
        }
    }
#endif
