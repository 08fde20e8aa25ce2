import Synchronization

/// The changes that wait for their turn in a log. The log takes them in batches: while one batch is written, the next
/// one is collected.
///
/// A patient change waits some milliseconds for others. Renewals are patient: they are most of a large service's
/// writes, they arrive one by one, and a commit costs a hundred times as much as a row.
final class TurnQueue<Turn: Sendable>: Sendable {
    enum Kind {
        case change
        case patientChange
        /// It changes nothing, and only waits for earlier changes. In a crowd each device causes dozens of these.
        case read
    }

    private struct State {
        var waiting: [(turn: Turn, kind: Kind, since: ContinuousClock.Instant)] = []
        /// The number of changes among them, and of the turns that are not patient.
        var changes = 0
        var urgent = 0
        /// Whether the patient ones have waited long enough.
        var isDue = false
        /// Whether a task sleeps until the patience of the waiting changes ends.
        var hasTimer = false
        /// The time since which the oldest change of the current batch has waited; nil without a batch.
        var oldest: ContinuousClock.Instant?
        /// Whether a task is processing batches.
        var isRunning = false

        /// - Returns: whether the caller has to write batches.
        mutating func start() -> Bool {
            defer { isRunning = true }
            return !isRunning
        }
    }

    private let capacity: Int
    private let state = Mutex(State())
    /// The maximum number of changes in one batch, which limits the wait of the first.
    private static var maximumBatch: Int { 256 }
    /// The time for which a patient change waits. With 100,000 devices 17 renewals arrive in this time.
    private static var patience: Duration { .milliseconds(5) }
    /// With this many changes the batch starts without waiting: a sixteenth of a commit per change is cheap.
    private static var worthwhileBatch: Int { 16 }

    /// - Parameter capacity: the maximum number of waiting changes. In addition each open connection may have a waiting
    ///   read.
    init(capacity: Int) { self.capacity = capacity }

    /// The number of changes that wait, without those of the batch under way.
    var count: Int { state.withLock { $0.changes } }

    /// The same, including reads.
    var turnCount: Int { state.withLock { $0.waiting.count } }

    /// The waiting time of the oldest change that is not written yet.
    var lag: Duration {
        let since = state.withLock { $0.oldest ?? $0.waiting.first?.since }
        return since.map { .now - $0 } ?? .zero
    }

    /// Queues a change or a read.
    /// - Parameter run: writes batches until none is left; called when that is to begin.
    /// - Returns: false if too many wait.
    func add(_ turn: Turn, _ kind: Kind, run: @escaping @Sendable () async -> Void) -> Bool {
        let (isTaken, mustRun, mustWait) = state.withLock { state in
            guard kind == .read || state.changes < capacity else { return (false, false, false) }
            state.waiting.append((turn, kind, .now))
            if kind != .read { state.changes += 1 }
            if kind == .patientChange, state.changes < Self.worthwhileBatch {
                defer { state.hasTimer = true }
                return (true, false, !state.hasTimer)
            }
            if kind == .patientChange { state.isDue = true } else { state.urgent += 1 }
            return (true, state.start(), false)
        }
        if mustRun { Task { await run() } }
        if mustWait {
            Task {
                try? await Task.sleep(for: Self.patience)
                if endPatience() { await run() }
            }
        }
        return isTaken
    }

    private func endPatience() -> Bool {
        state.withLock { state in
            state.hasTimer = false
            guard !state.waiting.isEmpty else { return false }
            state.isDue = true
            return state.start()
        }
    }

    /// The next batch; nil if nothing is due. Then the caller stops.
    func nextBatch() -> [Turn]? {
        state.withLock { state in
            guard !state.waiting.isEmpty, state.urgent > 0 || state.isDue else {
                state.oldest = nil
                state.isRunning = false
                return nil
            }
            state.oldest = state.waiting[0].since
            var changes = 0
            let batch = state.waiting.prefix { waiting in
                if waiting.kind != .read { changes += 1 }
                return changes <= Self.maximumBatch
            }
            state.waiting.removeFirst(batch.count)
            state.changes -= batch.count { $0.kind != .read }
            state.urgent -= batch.count { $0.kind != .patientChange }
            // The changes that did not fit have waited just as long.
            state.isDue = !state.waiting.isEmpty
            return batch.map(\.turn)
        }
    }

    /// Returns the rest of a batch to the front of the queue.
    func giveBack(_ turns: some Collection<Turn>) {
        state.withLock { state in
            let since = state.oldest ?? .now
            state.waiting.insert(contentsOf: turns.map { ($0, .change, since) }, at: 0)
            state.changes += turns.count
            state.urgent += turns.count
        }
    }
}
