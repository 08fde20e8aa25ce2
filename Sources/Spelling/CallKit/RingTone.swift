import Dispatch
import EarshotAudio
import EarshotNotifications
import Foundation
import Synchronization

/// Plays a ring tone repeatedly while any call rings, through the sound device: few desktops play the sounds of
/// notifications, and none plays them more than once.
final class RingTone: Sendable {
    /// The system's ring tone, which plays through `EARSHOT_PLAYBACK`, or else ALSA's default device.
    static let system = RingTone(device: ProcessInfo.processInfo.environment["EARSHOT_PLAYBACK"] ?? "default")

    /// The silence between two rings, in seconds: those of a telephone are 2 to 4 s apart.
    private static let pauseSeconds = 2.0
    /// The maximum length of one ring. A longer file is cut.
    private static let maximumSeconds = 30
    private static let defaultName = "phone-incoming-call"

    private struct State {
        var calls: Set<UUID> = []
        var loudspeaker: Loudspeaker?
    }

    private let device: String?
    /// How long the call waits for its ring, in seconds: a device takes some tenths of a second.
    private let patience: Double
    private let queue = DispatchQueue(label: "earshot.calls.ring")
    private let state = Mutex(State())

    /// - Parameter device: an ALSA PCM; nil for no ring.
    init(device: String?, patience: Double = 2) {
        self.device = device
        self.patience = patience
    }

    deinit { state.withLock(\.loudspeaker)?.stop() }

    /// Begins to ring for a call, unless another call rings already.
    /// - Returns: the reason for a failure, as the end of a sentence; nil if it rings.
    func start(_ call: UUID, _ sound: NotificationSound) async -> String? {
        guard let device else { return "there is no sound device" }
        return await withCheckedContinuation { continuation in
            let answer = Answer(continuation)
            queue.async { answer.give(self.open(call, sound, device)) }
            // A hanging sound server must not hide the call. It may ring later.
            DispatchQueue.global().asyncAfter(deadline: .now() + patience) { answer.give(nil) }
        }
    }

    /// The first answer counts.
    private final class Answer: Sendable {
        private let continuation: Mutex<CheckedContinuation<String?, Never>?>

        init(_ continuation: CheckedContinuation<String?, Never>) { self.continuation = Mutex(continuation) }

        func give(_ problem: String?) {
            let first = continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }
            first?.resume(returning: problem)
        }
    }

    /// Stops the ringing of a call at once.
    func stop(_ call: UUID) {
        queue.async {
            let silent = self.state.withLock { state -> Loudspeaker? in
                state.calls.remove(call)
                guard state.calls.isEmpty else { return nil }
                defer { state.loudspeaker = nil }
                return state.loudspeaker
            }
            silent?.stop()
        }
    }

    private func open(_ call: UUID, _ sound: NotificationSound, _ device: String) -> String? {
        if state.withLock({ state in
            guard state.loudspeaker != nil else { return false }
            state.calls.insert(call)
            return true
        }) {
            return nil
        }
        guard let path = SoundTheme.path(of: sound, default: Self.defaultName) else {
            let name = SoundTheme.name(of: sound, default: Self.defaultName)
            return "there is no sound \(name) (Debian's package sound-theme-freedesktop has the usual ones)"
        }
        do {
            let file = try Self.read(path)
            let hasRate = DeviceRequest.validSampleRatesHertz.contains(file.rateHertz)
            let loudspeaker = try Loudspeaker(
                DeviceRequest(device, sampleRateHertz: hasRate ? file.rateHertz : nil))
            let rate = loudspeaker.format.sampleRateHertz
            let ring = Self.resampled(file.samples, from: file.rateHertz, to: rate)
            let pause = [Float](repeating: 0, count: Int(Self.pauseSeconds * Double(rate)))
            state.withLock { state in
                state.loudspeaker = loudspeaker
                state.calls.insert(call)
            }
            repeatRing(ring + pause, on: loudspeaker)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Queues the next ring while one plays, so that it is not late.
    private func repeatRing(_ ring: [Float], on loudspeaker: Loudspeaker) {
        loudspeaker.enqueue(ring) { [weak self, weak loudspeaker] result in
            guard case .success = result, let self, let loudspeaker else { return }
            guard self.state.withLock({ $0.loudspeaker === loudspeaker }) else { return }
            self.repeatRing(ring, on: loudspeaker)
        }
    }

    /// One channel, the mean of all.
    private static func read(_ path: String) throws(AudioError) -> (samples: [Float], rateHertz: Int) {
        var file = try SoundFileReader(path: path)
        let channelCount = file.channelCount
        var (samples, buffer): ([Float], [Float]) = ([], [])
        while samples.count < maximumSeconds * file.sampleRateHertz {
            let count = try file.read(into: &buffer, maxFrames: 4_096)
            if count == 0 { break }
            for frame in 0..<count {
                let channels = buffer[frame * channelCount..<(frame + 1) * channelCount]
                samples.append(channels.reduce(0, +) / Float(channelCount))
            }
        }
        return (samples, file.sampleRateHertz)
    }

    /// By linear interpolation: good enough for a ring.
    private static func resampled(_ samples: [Float], from: Int, to: Int) -> [Float] {
        guard from != to, samples.count > 1 else { return samples }
        return (0..<samples.count * to / from).map { index in
            let position = Double(index) * Double(from) / Double(to)
            let before = min(Int(position), samples.count - 2)
            let share = Float(position - Double(before))
            return samples[before] * (1 - share) + samples[before + 1] * share
        }
    }
}

/// The files of the desktop's sound theme.
///
/// Source: freedesktop.org Sound Theme Specification 0.8. Only the desktop knows the user's theme, so this searches the
/// user's own sounds, and then the theme on which all others are based.
enum SoundTheme {
    private static let themes = ["__custom", "freedesktop"]
    private static let endings = ["oga", "ogg", "wav"]

    static func name(of sound: NotificationSound, default name: String) -> String {
        switch sound {
        case .default: name
        case .named(let name): name
        }
    }

    /// - Parameter name: the name for `NotificationSound.default`.
    /// - Returns: an absolute path; nil if there is no such sound.
    static func path(
        of sound: NotificationSound, default name: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String? {
        let name = Self.name(of: sound, default: name)
        if name.hasPrefix("/") { return FileManager.default.isReadableFile(atPath: name) ? name : nil }
        // A name is not a path.
        guard !name.contains("/") else { return nil }
        let own = environment["XDG_DATA_HOME"] ?? environment["HOME"].map { "\($0)/.local/share" }
        let system = environment["XDG_DATA_DIRS"] ?? "/usr/local/share:/usr/share"
        let folders = [own].compactMap(\.self) + system.split(separator: ":").map(String.init)
        for theme in themes {
            for folder in folders where folder.hasPrefix("/") {
                for ending in endings {
                    let path = "\(folder)/sounds/\(theme)/stereo/\(name).\(ending)"
                    if FileManager.default.isReadableFile(atPath: path) { return path }
                }
            }
        }
        return nil
    }
}
