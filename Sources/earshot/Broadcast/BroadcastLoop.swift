import Dispatch
import EarshotAudio
import EarshotCoding
import EarshotLive
import EarshotModem
import Synchronization

/// One payload again and again, on a thread of its own.
///
///     start of the next = start of this + interval · (1 + j),   j uniform in ±jitter
///
/// Jitter keeps two devices that collide once from colliding always.
final class BroadcastLoop: Sendable {
    struct Plan: Sendable {
        var payload: Payload
        var profile: Profile
        var levelDecibels: Double
        var intervalSeconds: Double
        /// Share of the interval.
        var jitter = 0.1
        /// How often; nil for ever.
        var count: Int?
    }

    enum Event: Sendable {
        /// The number'th has left the loudspeaker.
        case sent(number: Int, Playback)
        /// The next one starts then.
        case waiting(number: Int, seconds: Double)
        /// The device went away and is waited for.
        case interrupted(DeviceError)
        case resumed
        /// It is over.
        case failed(DeviceError)
    }

    /// How far ahead of the air the loudspeaker is filled: more than a busy machine keeps us from it.
    private static let bufferSeconds = 0.5

    let format: DeviceFormat

    private let plan: Plan
    private let request: DeviceRequest
    private let reconnects: Bool
    private let broadcaster: Mutex<Broadcaster>
    private let isStopped = Atomic(false)
    private let stopSignal = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let sentCount = Atomic(0)

    /// Opens the loudspeaker.
    init(_ plan: Plan, device: String, rate: Int? = nil, channels: Int? = nil, reconnects: Bool) throws {
        self.plan = plan
        self.reconnects = reconnects
        request = try DeviceRequest.argument(
            device: device, rate: rate, channels: channels, periodSeconds: 0.05, bufferSeconds: Self.bufferSeconds)
        do throws(DeviceError) {
            let opened = try Broadcaster(request, profile: plan.profile, levelDecibels: plan.levelDecibels)
            format = opened.loudspeaker.format
            broadcaster = Mutex(opened)
        } catch {
            throw Failure(error)
        }
    }

    /// How many were sent.
    var sent: Int { sentCount.load(ordering: .relaxed) }

    /// Begins, on another thread.
    func start(_ onEvent: @escaping @Sendable (Event) -> Void) {
        DispatchQueue(label: "earshot.broadcast").async {
            self.run(onEvent)
        }
    }

    /// Sends until the count is reached or `stop`, on this thread.
    func run(_ onEvent: (Event) -> Void) {
        defer { ended.signal() }
        var next = MonotonicTime.nanoseconds
        var number = 1
        while number <= plan.count ?? Int.max, !isOver {
            if wait(until: next, { onEvent(.waiting(number: number, seconds: $0)) }) { break }
            let start = MonotonicTime.nanoseconds
            do {
                let playback = try current.broadcastAndWait(plan.payload)
                sentCount.store(number, ordering: .relaxed)
                onEvent(.sent(number: number, playback))
                number += 1
            } catch let error as DeviceError {
                guard reconnects, error.isWorthRetrying else {
                    onEvent(.failed(error))
                    return
                }
                onEvent(.interrupted(error))
                guard reopen(onEvent) else { return }
                // What was not heard to its end is sent again at once.
                continue
            } catch {
                break
            }
            let jitter = plan.jitter > 0 ? Double.random(in: -plan.jitter...plan.jitter) : 0
            next = start + Int64(plan.intervalSeconds * (1 + jitter) * 1e9)
        }
        current.stop()
    }

    /// Ends after the payload that is on the air, and waits for that.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
        stopSignal.signal()
        let longest = plan.profile.frameSeconds(payloadByteCount: plan.payload.count) + 1
        if ended.wait(timeout: .now() + longest) == .success { ended.signal() }
    }

    private var isOver: Bool { isStopped.load(ordering: .relaxed) }
    private var current: Broadcaster { broadcaster.withLock { $0 } }

    /// - Returns: true when it was stopped meanwhile.
    private func wait(until deadline: Int64, _ tick: (Double) -> Void) -> Bool {
        while !isOver, case let left = Double(deadline - MonotonicTime.nanoseconds) / 1e9, left > 0 {
            tick(left)
            if stopSignal.wait(timeout: .now() + min(left, 0.1)) == .success { return true }
        }
        return isOver
    }

    private func reopen(_ onEvent: (Event) -> Void) -> Bool {
        var backOff = 0.1
        while !isOver {
            if stopSignal.wait(timeout: .now() + backOff) == .success { return false }
            backOff = min(2 * backOff, 1)
            do throws(DeviceError) {
                let opened = try Broadcaster(request, profile: plan.profile, levelDecibels: plan.levelDecibels)
                broadcaster.withLock { $0 = opened }
                onEvent(.resumed)
                return true
            } catch {
                if error.isWorthRetrying { continue }
                onEvent(.failed(error))
                return false
            }
        }
        return false
    }
}
