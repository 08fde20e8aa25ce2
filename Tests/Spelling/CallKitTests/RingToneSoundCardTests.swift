import DesktopTestSupport
import EarshotAudio
import EarshotDBus
import EarshotNotifications
import Foundation
import TestSupport
import Testing

@testable import CallKit

/// Calls that ring through a sound server, recorded by a microphone on its monitor.
@Suite(
    .apart, .serialized,
    .disabled(
        if: ProcessInfo.processInfo.environment["EARSHOT_SKIP_SOUND_CARD"] == "1", "EARSHOT_SKIP_SOUND_CARD=1 is set"),
    .enabled(if: SessionBus.missing == nil, Comment(rawValue: SessionBus.missing ?? "")))
struct RingToneSoundCardTests {
    private static let rateHertz = 48_000

    /// Whether each tenth of a second of a recording is loud.
    private static func loudness(_ path: String) throws -> [Bool] {
        var file = try SoundFileReader(path: path)
        var (buffer, tenths): ([Float], [Bool]) = ([], [])
        while true {
            let count = try file.read(into: &buffer, maxFrames: rateHertz / 10)
            if count == 0 { return tenths }
            tenths.append(buffer[..<count].contains { abs($0) > 0.003 })
        }
    }

    /// The number of times at which the recording becomes loud after a second of silence.
    private static func ringCount(_ tenths: [Bool]) -> Int {
        tenths.indices.count { index in
            tenths[index] && !tenths[max(0, index - 10)..<index].contains(true)
        }
    }

    private static func silentTenths(_ tenths: [Bool]) -> Int { tenths.reversed().prefix { !$0 }.count }

    /// Like dunst, the service has no capability for sound.
    @Test("a call rings again and again until it is answered")
    func answer() async throws {
        let session = try SessionBus()
        let service = try await FakeNotificationService(on: session, capabilities: ["actions", "body"])
        let (scratch, card) = try await onThread { () -> (Scratch, SoundCard) in
            let scratch = try Scratch()
            return (scratch, try SoundCard(in: scratch))
        }
        let recording = try await onThread {
            let recording = try card.record("ring.wav", rate: Self.rateHertz)
            try recording.grow(by: 0.5)
            return recording
        }
        let phone = Phone(session.bus, ringTone: RingTone(device: card.playbackName))
        let call = try await phone.ring()
        #expect(service.shown.first?.hints["suppress-sound"] == .boolean(true), "the desktop does not ring as well")
        #expect(phone.lines == [])
        try await onThread { try recording.grow(by: 10) }
        try await service.click(1, "answer")
        #expect(await poll { phone.calls == [call: true] })
        try await onThread {
            try recording.grow(by: 6)
            try recording.stop()
        }
        let tenths = try Self.loudness(recording.path)
        print(
            "the call rang \(Self.ringCount(tenths)) times in 10 s, then \(Self.silentTenths(tenths)) tenths of silence"
        )
        #expect(Self.ringCount(tenths) >= 2, "\(tenths)")
        // The silence is longer than the one between two rings.
        #expect(Self.silentTenths(tenths) > 40, "\(tenths)")
        withExtendedLifetime(scratch) {}
    }

    @Test("if the device is missing, the desktop rings")
    func noDevice() async throws {
        let session = try SessionBus()
        let service = try await FakeNotificationService(on: session, capabilities: ["actions", "body", "sound"])
        let phone = Phone(session.bus, ringTone: RingTone(device: "hw:CARD=none"))
        _ = try await phone.ring()
        #expect(service.shown.first?.hints["sound-name"] == .string("phone-incoming-call"))
        #expect(phone.lines.first?.contains("the ring tone is left to the desktop: ") == true, "\(phone.lines)")
    }

    /// ALSA opens the device of this name by opening a pipe, and waits for its reader, which never comes.
    @Test("a device that hangs does not hide the call")
    func hangingDevice() async throws {
        let scratch = try Scratch()
        let pipe = scratch.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let ringTone = RingTone(device: "file:'\(pipe)',raw", patience: 0.2)
        let begin = ContinuousClock.now
        #expect(await ringTone.start(UUID(), .named("phone-incoming-call")) == nil)
        let time = begin.duration(to: .now)
        #expect(time >= .milliseconds(150) && time < .seconds(5))
    }

    @Test("the message names a sound that is not installed")
    func noSound() async {
        let problem = await RingTone(device: "null").start(UUID(), .named("none"))
        #expect(problem == "there is no sound none (Debian's package sound-theme-freedesktop has the usual ones)")
    }

    @Test("sounds are found in the user's folder, then in the system's, and a path is a path")
    func theme() throws {
        let scratch = try Scratch()
        func make(_ path: String) throws -> String {
            let url = scratch.url.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: url)
            return url.path
        }
        let environment = [
            "XDG_DATA_HOME": "\(scratch.url.path)/own", "XDG_DATA_DIRS": "relative:\(scratch.url.path)/system",
        ]
        func path(_ sound: NotificationSound) -> String? {
            SoundTheme.path(of: sound, default: "ring", environment: environment)
        }
        #expect(path(.default) == nil)
        let system = try make("system/sounds/freedesktop/stereo/ring.oga")
        #expect(path(.default) == system && path(.named("ring")) == system && path(.named("none")) == nil)
        let own = try make("own/sounds/__custom/stereo/ring.wav")
        #expect(path(.default) == own)
        #expect(path(.named(system)) == system && path(.named("\(system).none")) == nil)
        #expect(path(.named("../stereo/ring")) == nil)
    }
}
