import FoundationEssentials
import GRDB

extension SQLiteStore {
    func openSession(_ order: SessionOrder) async throws -> Session {
        try await writes.perform { database, now in
            let expires = now + order.lifetime
            let count = try database.count("SELECT devices FROM api_key WHERE id = ?", [order.holder.key])
            guard count < order.devicesPerKey else {
                throw Problem.quota("devices", limit: order.devicesPerKey, per: "key")
            }
            try database.run(
                """
                INSERT INTO device (identifier, key_id, project_id, hash, expires_at) VALUES (?, ?, ?, ?, ?)
                """,
                [
                    order.identifier, order.holder.key, order.holder.project, order.hash, expires,
                ])
            return Session(
                device: database.lastInsertedRowID, identifier: order.identifier, key: order.holder.key,
                project: order.holder.project, expires: expires)
        }
    }

    func session(hash: Data, now: Moment) async throws -> Session? {
        try await pool.read { database in
            try database.row(
                """
                SELECT device.* FROM device JOIN api_key ON api_key.id = key_id
                WHERE device.hash = ? AND ended_at IS NULL AND expires_at > ? AND revoked_at IS NULL
                """,
                [hash, now]
            ).map { row in
                Session(
                    device: row["id"], identifier: row["identifier"], key: row["key_id"],
                    project: row["project_id"], expires: row["expires_at"])
            }
        }
    }

    func endSession(_ session: Session) async throws -> Woken {
        try await writes.perform { try Self.endDevice(session.device, $0, now: $1) }
    }

    /// Ends a device with all its items. Its row stays until nothing refers to it.
    static func endDevice(_ device: Int64, _ database: Database, now: Moment) throws -> Woken {
        try database.run("UPDATE device SET ended_at = ? WHERE id = ? AND ended_at IS NULL", [now, device])
        try database.run(
            "UPDATE publication SET ended_at = ? WHERE device_id = ? AND ended_at IS NULL",
            [now, device])
        var woken = try settle(device, database, now: now)
        try database.run("DELETE FROM subscription WHERE device_id = ?", [device])
        try database.run("DELETE FROM sighting WHERE device_id = ?", [device])
        // The device's own stream must end.
        woken.devices.insert(device)
        return woken
    }

    /// Extends the session. A rejected client must open a new session: this one ended after the request was accepted.
    static func prolong(_ renewal: Renewal, _ database: Database, now: Moment) throws {
        try database.run(
            "UPDATE device SET expires_at = max(expires_at, ?) WHERE id = ? AND ended_at IS NULL",
            [now + renewal.sessionLifetime, renewal.session.device])
        guard database.changesCount == 1 else { throw Problem.badSession }
    }
}
