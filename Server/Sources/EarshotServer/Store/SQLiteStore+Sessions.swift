import FoundationEssentials
import GRDB
import Synchronization

extension SQLiteStore {
    func openSession(_ order: SessionOrder) async throws -> Session {
        try await change { [live] database, now in
            let expires = now + order.lifetime
            let row = try live.withLock { live in
                guard live.keys[order.holder.key]?.devices.count ?? 0 < order.devicesPerKey else {
                    throw Problem.quota("devices", limit: order.devicesPerKey, per: "key")
                }
                let row = live.newRow()
                live.insert(
                    row,
                    Live.Device(
                        identifier: order.identifier, key: order.holder.key, project: order.holder.project,
                        hash: order.hash, origins: order.holder.origins, expires: expires, sequence: 0))
                return row
            }
            try database.run(
                """
                INSERT INTO device (id, identifier, key_id, project_id, hash, expires_at, sequence, forgotten)
                VALUES (?, ?, ?, ?, ?, ?, 0, 0)
                """,
                [row, order.identifier, order.holder.key, order.holder.project, order.hash, expires])
            return Session(
                device: row, identifier: order.identifier, key: order.holder.key, project: order.holder.project,
                origins: order.holder.origins, expires: expires)
        }
    }

    func session(hash: Data, now: Moment) async throws -> Session? {
        try refreshRevocations()
        let (session, isEnding) = live.withLock { ($0.session(hash: hash, now: now), $0.ending.contains(hash)) }
        guard isEnding else { return session }
        return try await writes.perform { [live] _, now in live.withLock { $0.session(hash: hash, now: now) } }
    }

    func endSession(_ session: Session) async throws -> Woken {
        try await settle { live, changes, now in live.endDevice(session.device, &changes, now: now) }
    }

    /// The time after which the service has noticed that a key was revoked, but for the time of reading a row.
    static let revocationDelay = Duration.milliseconds(20)

    /// Learns which keys are revoked. The operator revokes them in a process of their own, so only the database says.
    ///
    /// Cost: one row, on a connection of its own that no write delays. A look counts for `revocationDelay`.
    /// - Parameter isUrgent: whether to look in any case.
    func refreshRevocations(isUrgent: Bool = false) throws {
        let now = ContinuousClock.now
        let isFresh = revocationsSeen.withLock { seen in
            if !isUrgent, let last = seen, now - last < Self.revocationDelay { return true }
            seen = now
            return false
        }
        if isFresh { return }
        do {
            try readRevocations()
        } catch {
            revocationsSeen.withLock { $0 = nil }
            throw error
        }
    }

    private func readRevocations() throws {
        let count = try revocations.unsafeRead { try $0.count("SELECT count FROM revocation") }
        guard knownRevocations.load(ordering: .acquiring) != count else { return }
        let revoked = try revocations.unsafeRead {
            try $0.integers("SELECT id FROM api_key WHERE revoked_at IS NOT NULL")
        }
        live.withLock { $0.endRevoked(Set(revoked)) }
        knownRevocations.store(count, ordering: .releasing)
    }
}
