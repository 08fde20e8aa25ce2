import Synchronization

/// Whether the service can do its work: whether a write reaches the disk.
///
/// Anyone may ask, so a result is reused for a second, and all requests of that second share one write.
final class Health: Sendable {
    private struct Probe {
        let begun: ContinuousClock.Instant
        let result: Task<Problem?, Never>
    }

    /// The time for which a result is reused.
    private static let lifetime = Duration.seconds(1)
    private let store: any Store
    /// The time in which a write must reach the disk.
    private let patience: Duration
    private let latest = Mutex<Probe?>(nil)

    init(_ store: any Store, patience: Duration = .seconds(5)) {
        self.store = store
        self.patience = patience
    }

    /// Checks that a write reaches the disk.
    /// - Throws: the `Problem` if none does.
    func check() async throws {
        let now = ContinuousClock.now
        let probe = latest.withLock { latest in
            if let latest, now - latest.begun < Self.lifetime { return latest }
            let probe = Probe(begun: now, result: Task { await self.probe() })
            latest = probe
            return probe
        }
        if let problem = await probe.result.value { throw problem }
    }

    /// The first of two events: the write's result, or the end of the patience. A waiting write cannot be cancelled.
    private func probe() async -> Problem? {
        let (results, result) = AsyncStream.makeStream(of: Problem?.self)
        let (store, patience) = (store, patience)
        Task {
            do {
                try await store.check()
                result.yield(nil)
            } catch {
                result.yield(
                    (error as? Problem)
                        ?? .storeFails(reason(of: error)))
            }
            result.finish()
        }
        let timer = Task {
            guard (try? await Task.sleep(for: patience)) != nil else { return }
            result.yield(.storeFails("a write takes longer than \(patience.components.seconds) s"))
        }
        defer { timer.cancel() }
        for await problem in results { return problem }
        return nil
    }
}
