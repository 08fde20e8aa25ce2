import Synchronization

/// The live devices: those with an open event stream, and those that report, with the time of each one's last report.
///
/// A device that has crashed cannot report which tokens it no longer hears. So a device that hears tokens must keep a
/// stream open or report regularly; the sightings of a silent device end. An empty report is enough. Neither costs a
/// write.
final class Presence: Sendable {
    private struct State {
        /// The last reports of devices without a stream.
        var lastReports: [Int64: Moment] = [:]
        /// The numbers of open streams.
        var streams: [Int64: Int] = [:]
    }

    private let state = Mutex(State())

    /// A device has reported.
    func note(_ device: Int64, now: Moment) {
        state.withLock { state in
            if state.streams[device] == nil { state.lastReports[device] = now }
        }
    }

    /// A device has opened a stream.
    func open(_ device: Int64) {
        state.withLock { state in
            state.streams[device, default: 0] += 1
            state.lastReports[device] = nil
        }
    }

    /// A stream of a device has ended. If it was the only one, its silence begins.
    func close(_ device: Int64, now: Moment) {
        state.withLock { state in
            guard let count = state.streams[device] else { return }
            state.streams[device] = count > 1 ? count - 1 : nil
            if count == 1 { state.lastReports[device] = now }
        }
    }

    /// The devices that have been silent since `then`, at most `limit`.
    func silent(since then: Moment, limit: Int) -> [Int64] {
        state.withLock { state in
            Array(state.lastReports.lazy.filter { $0.value <= then }.map(\.key).prefix(limit))
        }
    }

    /// Whether a device has been silent since `then`.
    func isSilent(_ device: Int64, since then: Moment) -> Bool {
        state.withLock { state in
            state.streams[device] == nil && state.lastReports[device].map { $0 <= then } ?? true
        }
    }

    /// Forgets those of the devices that have been silent since `then`.
    func forget(_ devices: [Int64], since then: Moment) {
        state.withLock { state in
            for device in devices where state.lastReports[device].map({ $0 <= then }) ?? false {
                state.lastReports[device] = nil
            }
        }
    }
}
