import Dispatch
import EarshotAudio
import EarshotCoding
import EarshotConsole
import EarshotLive
import EarshotModem
import Synchronization

/// One payload again and again, on a thread of its own.
///
///     start of the next = start of this + interval · (1 + j),   j uniform in ±jitter
///
/// Jitter keeps two devices that collide once from colliding always. Each is handed to the loudspeaker a little longer
/// before its time than that is filled ahead, so that the pauses are right however short.
final class BroadcastLoop: Sendable {
    struct Plan: Sendable {
        var payload: Payload
        var profile: Profile
        /// How many frames each is sent as: 1, or a burst's.
        var burstCount = 1
        var levelDecibels: Double
        var intervalSeconds: Double
        /// Share of the interval.
        var jitter = 0.1
        /// How often; nil for ever.
        var count: Int?

        /// How long a frame is, or a burst.
        var soundSeconds: Double {
            burstCount > 1
                ? profile.burstSeconds(frameCount: burstCount)
                : profile.frameSeconds(payloadByteCount: payload.count)
        }
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

    /// What happened to the sounds that were handed over.
    private struct State {
        var outcomes: [Result<Playback, any Error>] = []
        var isStopped = false
    }

    /// How far ahead of the air the loudspeaker is filled: more than a busy machine keeps us from it.
    private static let bufferSeconds = 0.5
    /// How much earlier than that a sound is handed over.
    private static let headStartSeconds = 0.15

    let format: DeviceFormat

    private let plan: Plan
    private let request: DeviceRequest
    private let reconnects: Bool
    private let broadcaster: Mutex<Broadcaster>
    private let state = Mutex(State())
    /// Rings for outcomes and for the stop.
    private let bell = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let sentCount = Atomic(0)

    /// Opens the loudspeaker.
    init(_ plan: Plan, device: String, rate: Int? = nil, channels: Int? = nil, reconnects: Bool) throws {
        self.plan = plan
        self.reconnects = reconnects
        request = try DeviceRequest.argument(
            device: device, rate: rate, channels: channels, periodSeconds: 0.05, bufferSeconds: Self.bufferSeconds)
        do throws(DeviceError) {
            let opened = try Broadcaster(
                request, profile: plan.profile, burstCount: plan.burstCount, levelDecibels: plan.levelDecibels)
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
        while !isOver, sent < plan.count ?? .max {
            let problem = runUntilTrouble(onEvent)
            guard let problem else { break }
            guard reconnects, problem.isWorthRetrying else {
                onEvent(.failed(problem))
                return
            }
            onEvent(.interrupted(problem))
            // What was not played to its end is sent again.
            guard reopen(onEvent) else { return }
        }
        current.stop()
    }

    /// Ends after the payload that is on the air, and waits for that.
    func stop() {
        state.withLock { $0.isStopped = true }
        current.loudspeaker.withdrawAll()
        bell.signal()
        if ended.wait(timeout: .now() + plan.soundSeconds + 1) == .success { ended.signal() }
    }

    /// What is handed over now is heard then.
    private var earliest: Int64 { MonotonicTime.nanoseconds + Int64(Self.bufferSeconds * 1e9) }

    private var isOver: Bool { state.withLock { $0.isStopped } }
    private var current: Broadcaster { broadcaster.withLock { $0 } }

    /// Hands payloads over in time, and reports them when they have left.
    /// - Returns: what is wrong with the device, or nil when all were sent or it was stopped.
    private func runUntilTrouble(_ onEvent: (Event) -> Void) -> DeviceError? {
        let broadcaster = current
        let lead = Self.bufferSeconds + Self.headStartSeconds
        var next = earliest
        var handedCount = sent
        var underwayCount = 0
        while true {
            let outcomes = state.withLock { exchange(&$0.outcomes, with: []) }
            for outcome in outcomes {
                underwayCount -= 1
                switch outcome {
                case .success(let playback):
                    onEvent(.sent(number: sentCount.add(1, ordering: .relaxed).newValue, playback))
                case .failure(let error as DeviceError): return error
                case .failure: break
                }
            }
            let isOver = isOver || handedCount >= plan.count ?? .max
            if isOver, underwayCount == 0 { return nil }
            let left = Double(next - MonotonicTime.nanoseconds) / 1e9
            if !isOver, left <= lead {
                handedCount += 1
                underwayCount += 1
                let begin = max(next, earliest)
                broadcaster.enqueue(plan.payload, at: begin) { outcome in
                    self.state.withLock { $0.outcomes.append(outcome) }
                    self.bell.signal()
                }
                let jitter = plan.jitter > 0 ? Double.random(in: -plan.jitter...plan.jitter) : 0
                next = begin + Int64(max(plan.intervalSeconds * (1 + jitter), plan.soundSeconds) * 1e9)
                continue
            }
            if underwayCount == 0 { onEvent(.waiting(number: handedCount + 1, seconds: max(0, left))) }
            let patience = isOver ? plan.soundSeconds + 5 : min(max(left - lead, 0.001), 0.1)
            _ = bell.wait(timeout: .now() + patience)
        }
    }

    private func reopen(_ onEvent: (Event) -> Void) -> Bool {
        var backOff = 0.1
        while !isOver {
            _ = bell.wait(timeout: .now() + backOff)
            backOff = min(2 * backOff, 1)
            do throws(DeviceError) {
                let opened = try Broadcaster(
                    request, profile: plan.profile, burstCount: plan.burstCount, levelDecibels: plan.levelDecibels)
                broadcaster.withLock { $0 = opened }
                state.withLock { $0.outcomes = [] }
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
