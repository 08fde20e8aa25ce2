import Dispatch
import EarshotConsole
import EarshotMessages

/// Runs a manager's operation until a signal, a time, or enough: and then ends it in order, so that the others lose what was
/// published at once.
struct MessageRun {
    private let ending = Ending()
    private let over = DispatchSemaphore(value: 0)

    /// Before any thread: those that follow inherit who gets the signals.
    init() {
        let ending = ending
        Interruption.request { ending.request() }
    }

    /// - Parameter follow: takes what happens until it is cancelled or there is enough.
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
                    // Whichever ends first of the time and enough; the others only end with the manager.
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
