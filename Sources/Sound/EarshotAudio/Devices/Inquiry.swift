import EarshotSystem
import Synchronization

/// A question to a library that may never answer, asked on its own thread.
///
/// A thread that a driver or a sound server blocks forever is abandoned, because it cannot be ended safely.
final class Inquiry<Answer: Sendable>: Sendable {
    private final class Box: Sendable {
        let answer = Mutex<Answer?>(nil)
    }

    private let box = Box()
    private let worker = Worker()

    init(_ ask: @escaping @Sendable () -> Answer) {
        let box = box
        worker.start {
            let answer = ask()
            box.answer.withLock { $0 = answer }
        }
    }

    /// Waits at most `seconds` for the answer; nil if there is none by then.
    func answer(within seconds: Double) -> Answer? {
        worker.waitForEnd(seconds: max(0, seconds))
        return box.answer.withLock { $0 }
    }
}
