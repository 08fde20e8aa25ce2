import GRDB

extension SQLiteStore {
    /// Changes memory and then the rows, in the writer's turn.
    ///
    /// Cost of a change in memory: microseconds, under the lock. `body` throws a `Problem` before it changes anything.
    /// After any other error memory is read again.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (Database, _ now: Moment) throws -> Value
    ) async throws -> Value {
        try await writes.perform { [isStale] database, now in
            do {
                return try body(database, now)
            } catch let problem as Problem {
                throw problem
            } catch {
                isStale.set(true)
                throw error
            }
        }
    }

    /// What memory says about a device, once that is on the disk.
    func committed<Value: Sendable>(
        _ session: Session, _ body: @escaping @Sendable (Live, _ now: Moment) -> Value
    ) async throws -> Value {
        let now = clock.now
        let value = live.withLock { live in
            live.uncommitted.contains(session.device) ? nil : body(live, now)
        }
        if let value { return value }
        // The writer's turn comes after the change.
        return try await writes.perform { [live] _, now in live.withLock { body($0, now) } }
    }

    /// Ends, settles or sweeps in memory what `body` says, and writes the rows that follow from it.
    func settle(
        _ body: @escaping @Sendable (inout Live, inout RowChanges, _ now: Moment) throws -> Void
    ) async throws -> Woken {
        try await change { [self] database, now in
            let changes = try live.withLock { live in
                var changes = RowChanges()
                try body(&live, &changes, now)
                live.settle(&changes, now: now)
                return changes
            }
            return try Self.write(changes, database)
        }
    }

    static func write(_ changes: RowChanges, _ database: Database) throws -> Woken {
        for (device, sequence) in changes.deletedDeliveries {
            try database.run("DELETE FROM delivery WHERE device_id = ? AND sequence = ?", [device, sequence])
        }
        for delivered in changes.delivered {
            if let replaced = delivered.replaced {
                try database.run(
                    "DELETE FROM delivery WHERE device_id = ? AND sequence = ?", [delivered.device, replaced])
            }
            try database.run(
                """
                INSERT INTO delivery (device_id, sequence, subscription_id, publication_id, is_found, changed_at)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    delivered.device, delivered.delivery.sequence, delivered.pair.subscription,
                    delivered.pair.publication, delivered.delivery.isFound, delivered.delivery.changed,
                ])
        }
        for (device, sequence) in changes.sequences {
            try database.run("UPDATE device SET sequence = ? WHERE id = ?", [sequence, device])
        }
        for (device, sequence) in changes.forgotten {
            try database.run(
                "UPDATE device SET forgotten = max(forgotten, ?) WHERE id = ?", [sequence, device])
        }
        for (row, moment) in changes.endedPublications {
            try database.run("UPDATE publication SET ended_at = ? WHERE id = ?", [moment, row])
        }
        for (table, rows) in [
            ("publication", changes.deletedPublications), ("subscription", changes.deletedSubscriptions),
            ("token", changes.deletedTokens), ("device", changes.deletedDevices),
        ] {
            for row in rows { try database.run("DELETE FROM \(table) WHERE id = ?", [row]) }
        }
        return changes.woken
    }

    static func insert(
        _ token: IssuedToken, row: Int64?, for binding: TokenBinding, _ session: Session, _ database: Database
    )
        throws
    {
        guard let row else { return }
        let (publication, subscription): (Int64?, Int64?) =
            switch binding {
            case .publication(let row): (row, nil)
            case .subscription(let row): (nil, row)
            }
        try database.run(
            """
            INSERT INTO token (id, project_id, bytes, device_id, publication_id, subscription_id, issued_at, expires_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                row, session.project, token.bytes, session.device, publication, subscription, token.issued,
                token.expires,
            ])
    }

    static func prolong(_ session: Session, to expires: Moment, _ database: Database) throws {
        try database.run("UPDATE device SET expires_at = ? WHERE id = ?", [expires, session.device])
    }
}
