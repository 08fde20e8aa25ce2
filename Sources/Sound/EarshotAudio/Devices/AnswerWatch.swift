import Dispatch
import Synchronization

/// Reports that a driver or a sound server does not answer a call. The call continues, because its thread cannot be ended safely.
package enum AnswerWatch {
    /// A server that works answers within milliseconds, a busy machine's within about a second.
    package static let patienceSeconds = 3.0

    private final class Call: Sendable {
        let isOver = Mutex(false)
    }

    /// Runs `body`.
    /// - Parameters:
    ///   - operation: what `body` does, a verb, for the error.
    ///   - onSilence: called once, on another thread, if `body` takes longer than `seconds`; never after this method has returned.
    package static func run<Output, Problem: Error>(
        _ operation: String, _ device: String, seconds: Double = patienceSeconds,
        onSilence: @escaping @Sendable (DeviceError) -> Void, _ body: () throws(Problem) -> Output
    ) throws(Problem) -> Output {
        let call = Call()
        let alarm = DispatchWorkItem {
            call.isOver.withLock { isOver in
                if !isOver { onSilence(.unanswered(operation, device, seconds: seconds)) }
            }
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: alarm)
        defer {
            alarm.cancel()
            call.isOver.withLock { $0 = true }
        }
        return try body()
    }
}
