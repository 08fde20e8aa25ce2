import Synchronization

/// A question to the user, shared by all operations that wait for its answer.
final class PendingConsent: Sendable {
    private struct State {
        var waiting: [Int: CheckedContinuation<PermissionState, Never>] = [:]
        var waitedCount = 0
        var answer: PermissionState?
        var tasks: [Task<Void, Never>] = []
    }

    private let state = Mutex(State())
    let topic: PermissionTopic

    init(_ topic: PermissionTopic) {
        self.topic = topic
    }

    /// Whether the question has an answer.
    var isOver: Bool { state.withLock { $0.answer != nil } }

    /// Starts the tasks that find the answer. They are cancelled when there is one, or when no operation waits for it
    /// any longer.
    func run(_ operations: [@Sendable () async -> Void]) {
        let tasks = operations.map { operation in Task { await operation() } }
        let isOver = state.withLock { state in
            state.tasks = tasks
            return state.answer != nil
        }
        if isOver { tasks.forEach { $0.cancel() } }
    }

    /// Answers the question. The first answer counts.
    func finish(_ answer: PermissionState) {
        let (waiting, tasks) = state.withLock { state in
            guard state.answer == nil else { return ([CheckedContinuation<PermissionState, Never>](), state.tasks) }
            state.answer = answer
            defer { state.waiting = [:] }
            return (Array(state.waiting.values), state.tasks)
        }
        tasks.forEach { $0.cancel() }
        waiting.forEach { $0.resume(returning: answer) }
    }

    /// Waits for the answer; `undecided` if the task is cancelled. When the last waiting operation leaves, the question ends.
    var answer: PermissionState {
        get async {
            let number = state.withLock { state in
                state.waitedCount += 1
                return state.waitedCount
            }
            return await withTaskCancellationHandler {
                await withCheckedContinuation { wait(number, $0) }
            } onCancel: {
                leave(number)
            }
        }
    }

    private func wait(_ number: Int, _ continuation: CheckedContinuation<PermissionState, Never>) {
        let answer = state.withLock { state in
            if state.answer == nil { state.waiting[number] = continuation }
            return state.answer
        }
        if let answer { return continuation.resume(returning: answer) }
        // The task was cancelled before its continuation was stored.
        if Task.isCancelled { leave(number) }
    }

    private func leave(_ number: Int) {
        let (continuation, isLast) = state.withLock { state in
            let continuation = state.waiting.removeValue(forKey: number)
            return (continuation, continuation != nil && state.waiting.isEmpty)
        }
        continuation?.resume(returning: .undecided)
        if isLast { finish(.undecided) }
    }
}
