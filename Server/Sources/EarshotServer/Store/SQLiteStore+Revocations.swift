import GRDB
import Synchronization

/// What the operator does while the service runs.
extension SQLiteStore {
    /// The time after which the service has noticed that a key was revoked, but for the time of reading a row.
    static let revocationDelay = Duration.milliseconds(20)

    /// Learns which keys are revoked, and what is to end. The operator says that in a process of its own, so only the database knows.
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
        let (revoked, endings) = try revocations.unsafeRead { database in
            (
                try database.integers("SELECT id FROM api_key WHERE revoked_at IS NOT NULL"),
                try Endings(database)
            )
        }
        live.withLock { live in
            live.endRevoked(Set(revoked))
            live.end(endings)
        }
        knownRevocations.store(count, ordering: .releasing)
    }
}
