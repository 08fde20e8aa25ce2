import EarshotSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import EarshotAudio

/// Sounds through a sound server, recorded by a microphone on its monitor.
@Suite(
    .apart,
    .disabled(
        if: ProcessInfo.processInfo.environment["EARSHOT_SKIP_SOUND_CARD"] == "1", "EARSHOT_SKIP_SOUND_CARD=1 is set"))
struct LoudspeakerSoundCardTests {
    /// A tone as loud as a token's loudest, with ramps of 5 ms.
    private static func tone(seconds: Double, amplitude: Float = 0.25) -> [Float] {
        let count = Int(seconds * 48_000)
        return (0..<count).map { index in
            let ramp = min(1, Float(min(index + 1, count - index)) / 240)
            return amplitude * ramp * Float(sin(2 * .pi * 19_000 * Double(index) / 48_000))
        }
    }

    private static func open(_ card: SoundCard) throws -> Loudspeaker {
        try Loudspeaker(
            DeviceRequest(card.playbackName, sampleRateHertz: 48_000, channelCount: 1, bufferSeconds: 0.25))
    }

    @Test func playReturnsWhenTheLastSampleHasLeft() async throws {
        let card = try await onThread { try SoundCard(in: TestSupport.Scratch()) }
        let recording = try await onThread { try CardRecording(card) }
        let loudspeaker = try await onThread { try Self.open(card) }
        try await onThread { try recording.grow(by: 0.5) }
        let begin = MonotonicTime.nanoseconds
        let playback = try await loudspeaker.play(Self.tone(seconds: 1))
        let returned = MonotonicTime.nanoseconds
        try await onThread { try recording.grow(by: 0.7) }
        let (samples, end, dropped) = recording.finish()
        loudspeaker.stop()

        #expect(playback.underrunCount == 0)
        #expect(dropped == 0)
        #expect(playback.endNanoseconds - playback.beginNanoseconds == 1_000_000_000)
        #expect(playback.beginNanoseconds > begin)
        let last = try #require(samples.lastIndex { abs($0) > 1e-4 })
        let lastNanoseconds = end - Int64(samples.count - 1 - last) * 1_000_000_000 / 48_000
        // The sound server and its buffers take up to 0.3 s on a busy machine.
        let early = Double(lastNanoseconds - playback.endNanoseconds) / 1e9
        let late = Double(returned - lastNanoseconds) / 1e9
        print("play: recorded \(early) s after its stated end, returned \(late) s after that")
        #expect(abs(early) < 0.3)
        // A call that only queued the sound would return a second early. The machine's load decides how late it
        // returns.
        #expect(late > -0.3 && late < 3)
    }

    @Test(.timeLimit(.minutes(2)))
    func aDeviceWithoutAClockPlaysInRealTime() async throws {
        let (seconds, bufferSeconds) = (2.0, 0.25)
        let loudspeaker = try await onThread {
            try Loudspeaker(
                DeviceRequest(SoundCard.name("null"), sampleRateHertz: 48_000, bufferSeconds: bufferSeconds))
        }
        let begin = MonotonicTime.nanoseconds
        _ = try await loudspeaker.play(Self.tone(seconds: seconds))
        let passed = Double(MonotonicTime.nanoseconds - begin) / 1e9
        loudspeaker.stop()
        // The device takes each buffer at once and waits for its length, except for the first and the last.
        #expect(passed > seconds - 2 * bufferSeconds)
    }

    @Test func oneSoundFollowsTheOtherAsIfTheyWereOne() async throws {
        let card = try await onThread { try SoundCard(in: TestSupport.Scratch()) }
        let recording = try await onThread { try CardRecording(card) }
        let loudspeaker = try await onThread { try Self.open(card) }
        try await onThread { try recording.grow(by: 0.5) }
        // Lengths that are not multiples of any buffer size.
        let sounds = [Self.tone(seconds: 0.501), Self.tone(seconds: 0.333, amplitude: 0.5)]
        let first = Mutex<Result<Playback, any Error>?>(nil)
        loudspeaker.enqueue(sounds[0]) { result in first.withLock { $0 = result } }
        let second = try await loudspeaker.play(sounds[1])
        let playbacks = [try #require(first.withLock { $0 }).get(), second]
        try await onThread { try recording.grow(by: 0.7) }
        let (samples, _, dropped) = recording.finish()
        loudspeaker.stop()

        #expect(playbacks.allSatisfy { $0.underrunCount == 0 })
        #expect(dropped == 0)
        let played = sounds[0] + sounds[1]
        // The first sample of a sine is 0.
        let start = try #require(samples.firstIndex { $0 != 0 }) - 1
        try #require(start >= 0 && samples.count >= start + played.count)
        var difference = 0.0
        for (index, sample) in samples.enumerated() {
            let place = index - start
            let expected = played.indices.contains(place) ? played[place] : 0
            difference += Double((sample - expected) * (sample - expected))
        }
        // Everything besides the sounds, including clicks at any frequency and pauses, is 60 dB below them.
        let energy = played.map { Double($0 * $0) }.reduce(0, +)
        #expect(decibels(difference / energy) < -60, "\(decibels(difference / energy)) dB")
    }

    @Test func aSoundThatWaitsCanBeCancelled() async throws {
        let card = try await onThread { try SoundCard(in: TestSupport.Scratch()) }
        let loudspeaker = try await onThread { try Self.open(card) }
        let end = Mutex<Result<Playback, any Error>?>(nil)
        loudspeaker.enqueue(Self.tone(seconds: 5)) { result in end.withLock { $0 = result } }
        let waiting = Task { try await loudspeaker.play(Self.tone(seconds: 10)) }
        try await Task.sleep(for: .milliseconds(300))
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        // The cancellation does not wait for the sound before.
        #expect(end.withLock { $0.map { _ in true } } == nil)
        // A task that is already cancelled plays nothing.
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await loudspeaker.play(Self.tone(seconds: 10))
        }
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
        loudspeaker.stop()
    }

    @Test func stoppingFadesOut() async throws {
        let card = try await onThread { try SoundCard(in: TestSupport.Scratch()) }
        let recording = try await onThread { try CardRecording(card) }
        let loudspeaker = try await onThread { try Self.open(card) }
        try await onThread { try recording.grow(by: 0.3) }
        // A long tone, because a busy machine may stop it seconds late.
        let broken = Task { try await loudspeaker.play(Self.tone(seconds: 30, amplitude: 0.5)) }
        try await onThread { try recording.grow(by: 1) }
        let waiting = Task { try await loudspeaker.play(Self.tone(seconds: 5)) }
        try await Task.sleep(for: .milliseconds(50))
        try await onThread { loudspeaker.stop() }
        let playback = try await broken.value
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await #expect(throws: CancellationError.self) { try await loudspeaker.play([0.5]) }
        try await onThread { try recording.grow(by: 0.7) }
        let (samples, _, _) = recording.finish()

        #expect(playback.underrunCount == 0)
        let last = try #require(samples.lastIndex { $0 != 0 })
        let first = try #require(samples.firstIndex { $0 != 0 })
        #expect(last - first < 29 * 48_000, "it was played to its end")
        // The ramp falls by 1/240 a sample: the last ten samples have at most 0.5 ·
        // 10/240, and a ramp before them has the maximum.
        let peak = { (range: Range<Int>) in samples[range].map(abs).max() ?? 0 }
        #expect(peak(last - 9..<last + 1) <= 0.021)
        #expect(peak(last - 299..<last - 239) > 0.45)
    }

    @Test(.enabled(if: SoundCard.isVirtual)) func noCallHangsAfterTheServerDies() async throws {
        let card = try await onThread { try SoundCard(in: TestSupport.Scratch()) }
        let microphone = try await onThread { try Microphone(DeviceRequest(card.captureName)) }
        let loudspeaker = try await onThread { try Self.open(card) }
        let callers = (0..<3).map { _ in Task { try await loudspeaker.play(Self.tone(seconds: 5)) } }
        let (outcomes, report) = AsyncStream.makeStream(of: Result<Playback, any Error>.self)
        loudspeaker.enqueue(Self.tone(seconds: 5)) { report.yield($0) }
        try await Task.sleep(for: .milliseconds(500))
        try await onThread { try card.killServer() }
        for caller in callers {
            let error = await #expect(throws: DeviceError.self) { try await caller.value }
            #expect(error?.kind == .vanished && error?.device == card.playbackName)
        }
        let outcome = await outcomes.first { _ in true }
        #expect(throws: DeviceError.self) { try outcome?.get() }
        await #expect(throws: DeviceError.self) { try await loudspeaker.play([0]) }
        // The last block of the microphone reports it.
        let notice = try await onThread {
            var last: CaptureNotice?
            while microphone.next(milliseconds: 20_000, { block, _ in last = block.notice }) {}
            return last
        }
        guard case .ended(let error) = notice else {
            Issue.record("the recording ended with \(String(describing: notice))")
            return
        }
        #expect(error.kind == .vanished)
        loudspeaker.stop()
        microphone.stop()
    }
}
