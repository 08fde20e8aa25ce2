import Dispatch
import Foundation
import Synchronization

/// Measures how long this machine, or this process, stands still: a thread sleeps 10 ms at a time and notes by how much
/// it overslept.
final class PauseWatch: Sendable {
    private let isOver = Mutex(false)
    private let longestNanoseconds = Mutex<UInt64>(0)
    private static let periodNanoseconds: UInt64 = 10_000_000

    init() {
        Thread.detachNewThread { [self] in
            var before = DispatchTime.now().uptimeNanoseconds
            while !isOver.withLock({ $0 }) {
                usleep(UInt32(Self.periodNanoseconds / 1_000))
                let now = DispatchTime.now().uptimeNanoseconds
                note(from: before, to: now)
                before = now
            }
        }
    }

    private func note(from before: UInt64, to now: UInt64) {
        let late = now - before
        guard late > Self.periodNanoseconds else { return }
        longestNanoseconds.withLock { $0 = max($0, late - Self.periodNanoseconds) }
    }

    /// Ends the measurement.
    ///
    /// - Returns: the longest pause in seconds.
    func end() -> Double {
        isOver.withLock { $0 = true }
        return Double(longestNanoseconds.withLock { $0 }) / 1e9
    }
}
