import EarshotAudio
import Foundation
import TestSupport
import Testing

/// Every encoding and rate that can be asked for, through a real sound server and back.
@Suite(
    .disabled(
        if: ProcessInfo.processInfo.environment["EARSHOT_SKIP_SOUND_CARD"] == "1", "EARSHOT_SKIP_SOUND_CARD=1 is set"))
struct EncodingSoundCardTests {
    @Test(.enabled(if: SoundCard.isVirtual), arguments: DeviceEncoding.allCases)
    func whatIsPlayedIsRecorded(encoding: DeviceEncoding) async throws {
        let card = try await onThread { try SoundCard(in: TestSupport.Scratch()) }
        let microphone = try await onThread {
            try Microphone(DeviceRequest(card.captureName, encoding: encoding))
        }
        let loudspeaker = try await onThread {
            try Loudspeaker(DeviceRequest(card.playbackName, encoding: encoding, bufferSeconds: 0.25))
        }
        #expect(microphone.format.encoding == encoding && loudspeaker.format.encoding == encoding)
        let played = (0..<24_000).map { Float(0.9 * sin(2 * .pi * 19_000 / 48_000 * Double($0) + 0.1)) }
        let playback = try await loudspeaker.play(played)
        #expect(playback.underrunCount == 0)
        let recorded = try await onThread {
            var recorded: [Float] = []
            let end = MonotonicTime.nanoseconds + 500_000_000
            while MonotonicTime.nanoseconds < end {
                _ = microphone.next(milliseconds: 100) { _, samples in
                    for index in samples.indices { recorded.append(samples[index]) }
                }
            }
            microphone.stop()
            loudspeaker.stop()
            return recorded
        }

        let start = try #require(recorded.firstIndex { abs($0) > 0.01 })
        try #require(recorded.count - start >= played.count)
        let error = played.indices.map { abs(recorded[start + $0] - played[$0]) }.max() ?? 1
        // Half a step when it is encoded, and as much again when the server, whose samples are floats, gives it back.
        let bits = [.s16: 16, .s24: 24, .s24packed: 24, .s32: 24, .f32: 24][encoding] ?? 0
        #expect(error <= 2 * pow(2, -Float(bits)) * 1.01)
    }
}
