import Dispatch
import EarshotAudio
import EarshotBasics
import EarshotCoding
import EarshotConsole
import EarshotLive
import EarshotModem
import EarshotSoundConsole
import EarshotSystem
import Synchronization

/// Sends one payload repeatedly, on its own thread.
///
///     start of the next = start of this + interval · (1 + j),   j uniform in ±jitter
///
/// Jitter prevents two devices that collide once from colliding every time. The loop hands each sound to the
/// loudspeaker a little earlier than the loudspeaker's buffer requires, so that even short pauses have the right
/// length.
final class BroadcastLoop: Sendable {
    struct Plan: Sendable {
        var payload: Payload
        var profile: Profile
        /// Frames for each sending: 1, or the number of frames in a burst.
        var burstCount = 1
        var levelDecibels: Double
        var intervalSeconds: Double
        /// The maximum variation of the interval as a share of it, 0 to 0.5.
        var jitter = 0.1
        /// How many times the payload is sent; nil for no limit.
        var count: Int?

        /// The length of a frame or a burst in seconds.
        var soundSeconds: Double {
            burstCount > 1
                ? profile.burstSeconds(frameCount: burstCount)
                : profile.frameSeconds(payloadByteCount: payload.count)
        }
    }

    enum Event: Sendable {
        /// The payload with this number, counted from 1, has left the loudspeaker.
        case sent(number: Int, Playback)
        /// The payload with this number starts in `seconds` seconds.
        case waiting(number: Int, seconds: Double)
        /// The device went away; the loop waits for it.
        case interrupted(DeviceError)
        case resumed
        /// The loop has ended with this error.
        case failed(DeviceError)
    }

    /// The outcomes of the sounds that were handed over.
    private struct State {
        var outcomes: [Result<Playback, any Error>] = []
        var isStopped = false
    }

    /// How far the loudspeaker is filled ahead: longer than a busy machine delays this thread.
    private static let bufferSeconds = 0.5
    /// How much earlier than that the loop hands over a sound.
    private static let headStartSeconds = 0.15

    let format: DeviceFormat

    private let plan: Plan
    private let request: DeviceRequest
    private let reconnects: Bool
    private let broadcaster: Mutex<Broadcaster>
    private let state = Mutex(State())
    /// Signals an outcome, or the stop.
    private let bell = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let sentCount = Atomic(0)

    /// Opens the loudspeaker.
    /// - Throws: `Failure` if the device cannot be opened, `ValidationError` if the request is not valid.
    init(
        _ plan: Plan, device: String, rate: Int? = nil, channels: Int? = nil, reconnects: Bool, isQuiet: Bool = false
    ) throws {
        if plan.intervalSeconds > 0, plan.intervalSeconds < plan.soundSeconds, !isQuiet {
            StandardStream.error.print(
                "note: the payload plays for \(DecimalText.text(plan.soundSeconds, decimals: 2)) s, longer than "
                    + "--interval \(DecimalText.short(plan.intervalSeconds)), so there is no pause")
        }
        self.plan = plan
        self.reconnects = reconnects
        request = try DeviceRequest.argument(
            device: device, rate: rate, channels: channels, periodSeconds: 0.05, bufferSeconds: Self.bufferSeconds)
        do throws(DeviceError) {
            let request = request
            let opened = try AnswerWatch.run("open", device, onSilence: SilentDevice.note(isQuiet: isQuiet)) {
                () throws(DeviceError) in
                try Broadcaster(
                    request, profile: plan.profile, burstCount: plan.burstCount, levelDecibels: plan.levelDecibels)
            }
            format = opened.loudspeaker.format
            broadcaster = Mutex(opened)
        } catch {
            throw Failure(error)
        }
    }

    /// The number of payloads sent so far.
    var sent: Int { sentCount.load(ordering: .relaxed) }

    /// Starts `run` on another thread.
    func start(_ onEvent: @escaping @Sendable (Event) -> Void) {
        DispatchQueue(label: "earshot.broadcast").async {
            self.run(onEvent)
        }
    }

    /// Sends until the count is reached or `stop` is called, on this thread.
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
            // A payload that was cut off is sent again.
            guard reopen(onEvent) else { return }
        }
        current.stop()
    }

    /// Ends after the payload that is playing, and waits for its end.
    func stop() {
        state.withLock { $0.isStopped = true }
        current.loudspeaker.withdrawAll()
        bell.signal()
        if ended.wait(timeout: .now() + plan.soundSeconds + 1) == .success { ended.signal() }
    }

    /// The earliest time at which a sound that is handed over now can be heard.
    private var earliest: Int64 { MonotonicTime.nanoseconds + Int64(Self.bufferSeconds * 1e9) }

    private var isOver: Bool { state.withLock { $0.isStopped } }
    private var current: Broadcaster { broadcaster.withLock { $0 } }

    /// Hands payloads over in time, and reports each when it has left the device.
    /// - Returns: the device's error, or nil when all payloads were sent or the loop was stopped.
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
        var backOff = BackOff(BackOff.Bounds(shortest: .milliseconds(100), longest: .seconds(1)))
        while !isOver {
            _ = bell.wait(timeout: .now() + backOff.pause().seconds)
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
