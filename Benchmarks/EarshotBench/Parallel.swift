import Dispatch
import Foundation
import Synchronization

/// body(0), body(1), … body(count − 1) on several threads. The results are in this order, and do not depend on the number of
/// threads.
/// - Parameters:
///   - threadCount: the number of threads; nil means one for each core.
///   - onFinished: receives the number of finished calls, after each.
func concurrently<Value: Sendable>(
    _ count: Int, threadCount: Int? = nil, onFinished: (@Sendable (Int) -> Void)? = nil,
    _ body: @Sendable (Int) throws -> Value
) throws -> [Value] {
    let state = Mutex(WorkState<Value>(results: [Result<Value, any Error>?](repeating: nil, count: count)))
    let threadCount = min(threadCount ?? ProcessInfo.processInfo.activeProcessorCount, count)
    DispatchQueue.concurrentPerform(iterations: threadCount) { _ in
        while true {
            let index = state.withLock { state in
                defer { state.next += 1 }
                return state.next
            }
            guard index < count else { return }
            let result = Result { try body(index) }
            let finishedCount = state.withLock { state in
                state.results[index] = result
                state.finishedCount += 1
                return state.finishedCount
            }
            onFinished?(finishedCount)
        }
    }
    return try state.withLock { $0.results }.compactMap { try $0?.get() }
}

/// The state that the threads share.
private struct WorkState<Value> {
    var next = 0
    var finishedCount = 0
    var results: [Result<Value, any Error>?]
}

/// The progress of a long measurement, a line on standard error for a person who watches.
struct Progress: Sendable {
    private let what: String
    private let total: Int
    private let start = Date()
    private let isShown = isatty(STDERR_FILENO) == 1
    private let lastShown = LastShown()

    private final class LastShown: Sendable {
        let seconds = Mutex(-1.0)
    }

    init(_ what: String, total: Int) {
        self.what = what
        self.total = total
    }

    /// Prints the progress, at most once a second on a terminal and once a minute in a log.
    func update(_ finishedCount: Int) {
        let elapsed = Date().timeIntervalSince(start)
        let isDue = lastShown.seconds.withLock { last in
            let isDue = elapsed - last >= (isShown ? 1 : 60) && last >= 0 || last < 0 && isShown
            if isDue || last < 0 { last = elapsed }
            return isDue
        }
        guard isDue, finishedCount < total else {
            if isShown && finishedCount == total { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
            return
        }
        let left = Int(elapsed * Double(total - finishedCount) / Double(finishedCount))
        let time = left < 120 ? "\(left) s" : "\(left / 60) min"
        let line = "\(what): \(100 * finishedCount / total) %, \(time) left"
        FileHandle.standardError.write(Data((isShown ? "\r\u{1B}[K\(line)" : line + "\n").utf8))
    }
}
