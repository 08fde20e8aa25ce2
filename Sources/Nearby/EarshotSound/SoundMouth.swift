import Dispatch
import EarshotAudio
import EarshotBasics
import EarshotCoding
import EarshotLive
import EarshotSystem
import Synchronization

/// Talks as instructed, on its own thread. Without a loudspeaker it reports a problem, and waits for one.
final class SoundMouth: Sendable {
    /// The next task of the mouth.
    struct Instruction: Sendable {
        /// The token to say and its start; nil to be silent.
        var talk: (token: Payload, beginSeconds: Double)?
        /// When to ask for the next instruction, unless `wake` is called before.
        var dueSeconds: Double
    }

    private let options: SoundMedium.Options
    private let problems: SoundProblems
    private let worker = Worker()
    /// Rings when a decision is due, and when the device failed.
    private let bell = DispatchSemaphore(value: 0)
    private let failure = Mutex<DeviceError?>(nil)

    init(_ options: SoundMedium.Options, _ problems: SoundProblems) {
        self.options = options
        self.problems = problems
    }

    /// Begins; calls `instruct` on the mouth's thread.
    func start(_ instruct: @escaping @Sendable (_ nowSeconds: Double) -> Instruction) {
        worker.start { [self] in
            var broadcaster: Broadcaster?
            var backOff = BackOff(SoundProblems.reopening)
            var attemptSeconds = MonotonicTime.seconds
            while !worker.isStopping {
                if let error = failure.withLock({ exchange(&$0, with: nil) }) {
                    problems.playback(error)
                    broadcaster?.stop()
                    broadcaster = nil
                    attemptSeconds = MonotonicTime.seconds + backOff.pause().seconds
                }
                if broadcaster == nil, MonotonicTime.seconds >= attemptSeconds {
                    broadcaster = open()
                    if broadcaster != nil { backOff.reset() }
                    attemptSeconds = MonotonicTime.seconds + backOff.pause().seconds
                }
                let instruction = instruct(MonotonicTime.seconds)
                if let talk = instruction.talk, let broadcaster { say(talk.token, talk.beginSeconds, broadcaster) }
                let due = broadcaster == nil ? min(instruction.dueSeconds, attemptSeconds) : instruction.dueSeconds
                _ = bell.wait(timeout: .now() + min(max(due - MonotonicTime.seconds, 0.001), 1))
            }
            broadcaster?.stop()
        }
    }

    /// Makes the mouth ask for an instruction at once.
    func wake() {
        bell.signal()
    }

    func requestStop() {
        worker.requestStop()
        wake()
    }

    func waitForEnd(seconds: Double) -> Bool { worker.waitForEnd(seconds: seconds) }

    private func open() -> Broadcaster? {
        do throws(DeviceError) {
            let opened = try AnswerWatch.run(
                "open", options.playback.name, onSilence: { [problems] in problems.playback($0) }
            ) { () throws(DeviceError) in
                try Broadcaster(options.playback, profile: options.profile, levelDecibels: options.levelDecibels)
            }
            problems.playback(nil)
            return opened
        } catch {
            problems.playback(error)
            return nil
        }
    }

    private func say(_ token: Payload, _ beginSeconds: Double, _ broadcaster: Broadcaster) {
        broadcaster.enqueue(token, at: Int64(beginSeconds * 1e9)) { [self] outcome in
            guard case .failure(let error as DeviceError) = outcome else { return }
            failure.withLock { $0 = error }
            wake()
        }
    }
}
