import GRDB

extension SQLiteStore {
    /// The maximum number of rows of each kind in one sweep, so that no write waits long for it. The next sweep
    /// continues.
    private static let maximumSweep = 500

    func sweep(memory: Duration) async throws -> Woken {
        try await writes.perform { database, now in
            let woken = try Self.end(database, now: now)
            try Self.forget(database, before: now - memory)
            return woken
        }
    }

    func bound(_ limits: ServiceLimits) async throws {
        try await writes.perform { database, now in
            for (table, column, maximum) in [
                ("device", "expires_at", limits.sessionLifetime), ("device", "ended_at", .zero),
                ("publication", "expires_at", limits.maximumTimeToLive), ("publication", "ended_at", .zero),
                ("subscription", "expires_at", limits.maximumTimeToLive),
                ("token", "expires_at", limits.tokenLifetime), ("token", "issued_at", .zero),
                ("sighting", "expires_at", limits.sightingLifetime), ("delivery", "changed_at", .zero),
            ] as [(String, String, Duration)] {
                try database.run(
                    "UPDATE \(table) SET \(column) = :then WHERE \(column) > :then", ["then": now + maximum])
            }
        }
    }

    /// Ends expired items.
    private static func end(_ database: Database, now: Moment) throws -> Woken {
        var woken = Woken()
        let devices = try database.integers(
            """
            SELECT id FROM device WHERE ended_at IS NULL AND expires_at <= :now
            UNION SELECT device.id FROM api_key JOIN device ON device.key_id = api_key.id
            WHERE revoked_at IS NOT NULL AND ended_at IS NULL LIMIT \(maximumSweep)
            """,
            ["now": now])
        for device in devices { woken = woken + (try endDevice(device, database, now: now)) }

        var unsettled: Set<Int64> = []
        let publications = try database.rows(
            "SELECT id, device_id FROM publication WHERE ended_at IS NULL AND expires_at <= ? LIMIT \(maximumSweep)",
            [now])
        for row in publications {
            let id: Int64 = row["id"]
            try database.run("UPDATE publication SET ended_at = ? WHERE id = ?", [now, id])
            unsettled.insert(row["device_id"])
        }
        let subscriptions = try database.integers(
            "SELECT id FROM subscription WHERE expires_at <= ? LIMIT \(maximumSweep)", [now])
        for id in subscriptions { try database.run("DELETE FROM subscription WHERE id = ?", [id]) }
        let sightings = try database.rows(
            "SELECT device_id, token_id FROM sighting WHERE expires_at <= ? LIMIT \(maximumSweep)", [now])
        for row in sightings {
            let (device, token): (Int64, Int64) = (row["device_id"], row["token_id"])
            try database.run("DELETE FROM sighting WHERE device_id = ? AND token_id = ?", [device, token])
            unsettled.insert(device)
        }
        for device in unsettled.sorted() { woken = woken + (try settle(device, database, now: now)) }
        return woken
    }

    /// Deletes items that ended before `then`.
    private static func forget(_ database: Database, before then: Moment) throws {
        let lost = try database.rows(
            """
            SELECT subscription_id, publication_id, device_id, sequence FROM delivery
            WHERE is_found = 0 AND changed_at < ? LIMIT \(maximumSweep)
            """,
            [then])
        for row in lost {
            let (subscription, publication): (Int64, Int64) = (row["subscription_id"], row["publication_id"])
            let (device, sequence): (Int64, Int64) = (row["device_id"], row["sequence"])
            try database.run(
                "DELETE FROM delivery WHERE subscription_id = ? AND publication_id = ?", [subscription, publication])
            // A stream that stopped before this change cannot resume there.
            try database.run(
                "UPDATE device SET forgotten = max(forgotten, ?) WHERE id = ?", [sequence, device])
        }
        for (table, condition) in [
            ("token", "expires_at < ?"),
            (
                "publication",
                "ended_at < ? AND NOT EXISTS (SELECT 1 FROM delivery WHERE publication_id = publication.id)"
            ),
            (
                "device",
                "ended_at < ? AND NOT EXISTS (SELECT 1 FROM publication WHERE device_id = device.id)"
                    + " AND NOT EXISTS (SELECT 1 FROM subscription WHERE device_id = device.id)"
            ),
        ] {
            try database.run(
                "DELETE FROM \(table) WHERE id IN (SELECT id FROM \(table) WHERE \(condition) LIMIT \(maximumSweep))",
                [then])
        }
    }
}
