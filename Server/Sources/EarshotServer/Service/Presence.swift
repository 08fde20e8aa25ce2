import Synchronization

/// The devices that report, with the time of the last report of each.
///
/// A device that has crashed cannot report what it no longer hears. So a device that hears something reports at least once in
/// a while, and the sightings of a silent one end. An empty report is enough. It costs no write, because these times lie in
/// memory only.
final class Presence: Sendable {
    private let lastReports = Mutex<[Int64: Moment]>([:])

    /// A device has reported.
    func note(_ device: Int64, now: Moment) {
        lastReports.withLock { $0[device] = now }
    }

    /// The devices that have not reported since `then`, at most `limit`.
    func silent(since then: Moment, limit: Int) -> [Int64] {
        lastReports.withLock { reports in
            Array(reports.lazy.filter { $0.value <= then }.map(\.key).prefix(limit))
        }
    }

    /// Whether a device has not reported since `then`.
    func isSilent(_ device: Int64, since then: Moment) -> Bool {
        lastReports.withLock { $0[device].map { $0 <= then } ?? true }
    }

    /// Forgets those of the devices that have not reported since `then`.
    func forget(_ devices: [Int64], since then: Moment) {
        lastReports.withLock { reports in
            for device in devices where reports[device].map({ $0 <= then }) ?? false { reports[device] = nil }
        }
    }
}
