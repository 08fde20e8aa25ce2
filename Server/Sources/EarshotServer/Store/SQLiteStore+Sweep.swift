import GRDB

extension SQLiteStore {
    func sweep(memory: Duration) async throws -> Woken {
        try refreshRevocations()
        let isDue = live.withLock { $0.isSweepDue(clock.now, memory: memory) }
        guard isDue || isStale.isSet else { return Woken() }
        return try await change { [live] database, now in
            try Self.write(live.withLock { $0.sweep(now, memory: memory) }, database)
        }
    }

    func bound(_ limits: ServiceLimits) async throws {
        try await change { [live] database, now in
            for (table, column, maximum) in [
                ("device", "expires_at", limits.sessionLifetime),
                ("publication", "expires_at", limits.maximumTimeToLive), ("publication", "ended_at", .zero),
                ("subscription", "expires_at", limits.maximumTimeToLive),
                ("token", "expires_at", limits.tokenLifetime), ("token", "issued_at", .zero),
                ("delivery", "changed_at", .zero),
            ] as [(String, String, Duration)] {
                try database.run(
                    "UPDATE \(table) SET \(column) = :then WHERE \(column) > :then", ["then": now + maximum])
            }
            try live.withLock { live in
                live = try Live(database, keeping: live, isRestart: false, now: now)
                live.bound(limits, now: now)
            }
        }
    }
}
