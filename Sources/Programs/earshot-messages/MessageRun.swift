import Dispatch
import EarshotConsole
import EarshotMessages

/// Runs a manager's operation until a signal, `--seconds` or `--count` ends it. It then stops the manager in order, so
/// that other devices lose the published messages at once.
struct MessageRun {
    private let ending = Ending()
    private let over = DispatchSemaphore(value: 0)

    /// Call this before any thread starts: threads inherit the signal mask.
    init() {
        let ending = ending
        Interruption.request { ending.request() }
    }

    /// - Parameter follow: handles the operation's events until it is cancelled or has enough.
    func run(
        _ manager: MessageManager, seconds: Double?, _ output: MessageOutput, statuses: AsyncStream<OperationStatus>,
        follow: @escaping @Sendable () async -> Void
    ) {
        let over = over
        let task = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await problem in manager.problems { output.take(problem) } }
                group.addTask { for await status in statuses { output.take(status) } }
                if let seconds {
                    group.addTask { try? await Task.sleep(for: .seconds(seconds)) }
                    group.addTask {
                        await follow()
                    }
                    // The timer or `follow` ends first; the other tasks end only with the manager.
                    await group.next()
                } else {
                    await follow()
                }
                group.cancelAll()
            }
            await manager.stop()
            over.signal()
        }
        ending.onRequest { task.cancel() }
        over.wait()
    }
}
