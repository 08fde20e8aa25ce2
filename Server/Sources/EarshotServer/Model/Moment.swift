import FoundationEssentials

/// A point in time: milliseconds since the beginning of 1970, UTC.
///
/// Leases outlive the process, so the database has calendar times, not times since boot.
package struct Moment: Comparable, Hashable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package var milliseconds: Int64

    /// The moment `milliseconds` after the beginning of 1970.
    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Seconds since 1970, exact to 0.24 µs.
    var seconds: Double { Double(milliseconds) / 1_000 }

    /// Later by `duration`.
    package static func + (moment: Moment, duration: Duration) -> Moment {
        Moment(milliseconds: moment.milliseconds + duration.milliseconds)
    }

    /// Earlier by `duration`.
    package static func - (moment: Moment, duration: Duration) -> Moment {
        Moment(milliseconds: moment.milliseconds - duration.milliseconds)
    }

    /// Whether this is before `other`.
    package static func < (a: Moment, b: Moment) -> Bool { a.milliseconds < b.milliseconds }

    /// The whole seconds left until `then`, ≥ 0. Rounded down, so that a client that renews by it is never late.
    func seconds(until then: Moment) -> Int {
        Int(max(0, then.milliseconds - milliseconds) / 1_000)
    }
}

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}

/// The service's source of time; tests replace it.
package protocol ServiceClock: Sendable {
    /// The time now.
    var now: Moment { get }
}

/// The calendar time at the start of the process, continued by a monotonic clock that also runs while the system
/// sleeps.
///
///     now = calendar at the beginning + time since then
///
/// So setting the calendar while the service runs ends no lease early and revives none.
package struct SystemClock: ServiceClock {
    private let begin: Moment
    private let elapsed: @Sendable () -> Duration

    /// One for the process, so that its parts agree on the time.
    package static let shared: SystemClock = {
        let begin = ContinuousClock.now
        return SystemClock(calendar: { Moment(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) }) {
            begin.duration(to: .now)
        }
    }()

    /// - Parameters:
    ///   - calendar: the calendar time; read once.
    ///   - elapsed: the time since that reading.
    init(calendar: () -> Moment, elapsed: @escaping @Sendable () -> Duration) {
        begin = calendar()
        self.elapsed = elapsed
    }

    /// The time now.
    package var now: Moment { begin + elapsed() }
}
