import GRDB
import Synchronization

/// The operator's changes while the service runs.
extension SQLiteStore {
    /// The time after which the service has noticed a revoked key, plus the time to read a row.
    static let revocationDelay = Duration.milliseconds(20)

    /// Reads which keys are revoked and which items are to end. The operator's commands run in their own process, so
    /// only the database has that information.
    ///
    /// Cost: one row, on a separate connection, so writes do not delay it. A reading is valid for `revocationDelay`.
    /// - Parameter isUrgent: whether to read in any case.
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
