import EarshotAudio
import EarshotCoding
import EarshotDiscovery
import EarshotLive
import EarshotModem
import EarshotSystem
import Synchronization

/// One run of a `SoundMedium`: an ear, a mouth, and the conversation between them.
final class SoundSession: Sendable {
    /// How much earlier than the loudspeaker's buffer requires a token is written, in seconds.
    private static let headStartSeconds = 0.05

    private let report: @Sendable (MediumEvent) -> Void
    private let problems: SoundProblems
    private let conversation: Mutex<SoundConversation<SystemRandomNumberGenerator>>
    private let ear: SoundEar?
    private let mouth: SoundMouth?

    init(_ options: SoundMedium.Options, mode: DiscoveryMode, _ report: @escaping @Sendable (MediumEvent) -> Void) {
        self.report = report
        problems = SoundProblems(report)
        conversation = Mutex(
            SoundConversation(
                mode: mode, profile: options.profile,
                leadSeconds: options.playback.bufferSeconds + Self.headStartSeconds,
                generator: SystemRandomNumberGenerator()))
        ear = mode.contains(.scan) ? SoundEar(options.capture, problems) : nil
        mouth = mode.contains(.broadcast) ? SoundMouth(options, problems) : nil
    }

    /// Sets the token to broadcast from now on.
    func own(_ token: Payload) {
        conversation.withLock { $0.own(token) }
    }

    /// Opens the devices that the mode needs, and begins.
    func start() {
        ear?.start { [self] event in take(event) }
        mouth?.start { [self] now in
            conversation.withLock { conversation in
                let begin = conversation.isDue(nowSeconds: now) ? conversation.step(nowSeconds: now) : nil
                return SoundMouth.Instruction(
                    talk: begin.flatMap { begin in conversation.token.map { ($0, begin) } },
                    dueSeconds: conversation.dueSeconds - conversation.leadSeconds)
            }
        }
    }

    /// Asks the threads to end; returns immediately.
    func requestStop() {
        ear?.requestStop()
        mouth?.requestStop()
    }

    /// Waits until the devices are closed.
    func waitForEnd(seconds: Double) -> Bool {
        (ear?.waitForEnd(seconds: seconds) ?? true) && (mouth?.waitForEnd(seconds: seconds) ?? true)
    }

    private func take(_ event: ListenerEvent) {
        switch event {
        case .heard(let heard): hear(heard)
        case .level(let level):
            let isOccupied = conversation.withLock { conversation in
                let now = MonotonicTime.seconds
                conversation.take(
                    levelDecibels: level.bandDecibels, isReceiving: level.isReceiving, soundSeconds: level.atSeconds,
                    nowSeconds: now)
                // Without a mouth no other thread runs the steps.
                if mouth == nil, conversation.isDue(nowSeconds: now) { _ = conversation.step(nowSeconds: now) }
                return conversation.isBandOccupied
            }
            problems.band(isOccupied: isOccupied)
        case .gap, .overloaded, .interrupted, .resumed, .missed, .ended: break
        }
    }

    private func hear(_ heard: HeardFrame) {
        let start = Double(heard.startNanoseconds) / 1e9
        let hearing = SoundHearing(
            payload: heard.payload, startSeconds: start, endSeconds: start + heard.endSeconds - heard.startSeconds,
            snrDecibels: Double(heard.frame.snrDecibels),
            soundSeconds: heard.startSeconds..<max(heard.startSeconds, heard.endSeconds))
        guard let sighting = conversation.withLock({ $0.hear(hearing, nowSeconds: MonotonicTime.seconds) })
        else { return }
        report(.sighting(sighting))
        mouth?.wake()
    }
}
