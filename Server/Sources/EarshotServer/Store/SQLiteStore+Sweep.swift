import GRDB

extension SQLiteStore {
    /// The maximum number of devices that fall silent in one sweep, so that no write waits long for it.
    private static let maximumSilent = 500

    func sweep(_ limits: ServiceLimits) async throws -> Swept {
        try refreshRevocations()
        let silence = try await endSilence(limits.silence)
        let ended = try await sweep(memory: limits.memory)
        return Swept(woken: silence.woken + ended.woken, hasMore: silence.hasMore || ended.hasMore)
    }

    private func endSilence(_ silence: Duration) async throws -> Swept {
        let then = clock.now - silence
        let silent = presence.silent(since: then, limit: Self.maximumSilent)
        guard !silent.isEmpty else { return Swept() }
        let woken = try await endSightings(of: silent) { [presence] in presence.isSilent($0, since: then) }
        presence.forget(silent, since: then)
        return Swept(woken: woken, hasMore: silent.count == Self.maximumSilent)
    }

    private func sweep(memory: Duration) async throws -> Swept {
        let isDue = live.withLock { $0.isSweepDue(clock.now, memory: memory) }
        guard isDue || isStale.isSet else { return Swept() }
        return try await change { [live] database, now in
            let changes = live.withLock { $0.sweep(now, memory: memory) }
            return Swept(woken: try Self.write(changes, database), hasMore: changes.isLimited)
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
