import Foundation
import Synchronization

/// The time of a manager, counted from its start. A test has its own clock.
struct Timeline: Sendable {
    private let read: @Sendable () -> Duration
    /// Sleeps for a duration, which may be negative.
    /// - Throws: `CancellationError` if the task is cancelled.
    let sleep: @Sendable (Duration) async throws -> Void
    private let calendar: @Sendable () -> Double

    /// - Parameter calendar: seconds since 1970, which may be set at any time.
    init<C: Clock<Duration>>(
        _ clock: C = ContinuousClock(), calendar: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
    ) {
        self.calendar = calendar
        let begin = clock.now
        read = { begin.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: clock.now.advanced(by: max($0, .zero)), tolerance: nil) }
    }

    var now: Duration { read() }

    /// The date of a time in seconds since 1970, by the present calendar: for other processes, which have other time
    /// origins.
    func date(of time: Duration) -> Double { calendar() + (time - now) / .seconds(1) }
}

/// Rings once, at the date that was set last. A ring may come late, or after another date was set: its owner checks
/// what is due.
final class Alarm: Sendable {
    private struct Setting {
        let date: Duration
        let task: Task<Void, Never>
    }

    private let timeline: Timeline
    private let ring: @Sendable () async -> Void
    private let setting = Mutex<Setting?>(nil)

    init(_ timeline: Timeline, ring: @escaping @Sendable () async -> Void) {
        self.timeline = timeline
        self.ring = ring
    }

    deinit { set(nil) }

    /// Sets the date, in place of the previous one; nil for never. A date in the past rings at once.
    func set(_ date: Duration?) {
        setting.withLock { setting in
            guard date != setting?.date else { return }
            setting?.task.cancel()
            setting = date.map { date in
                let (timeline, ring) = (timeline, ring)
                let task = Task { [weak self] in
                    guard (try? await timeline.sleep(date - timeline.now)) != nil, let self else { return }
                    self.setting.withLock { if $0?.date == date { $0 = nil } }
                    await ring()
                }
                return Setting(date: date, task: task)
            }
        }
    }
}
