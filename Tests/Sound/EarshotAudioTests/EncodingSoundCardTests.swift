import EarshotAudio
import Foundation
import TestSupport
import Testing

/// Every encoding and rate that a program can request, through a real sound server and back.
@Suite(
    .apart,
    .disabled(
        if: ProcessInfo.processInfo.environment["EARSHOT_SKIP_SOUND_CARD"] == "1", "EARSHOT_SKIP_SOUND_CARD=1 is set"))
struct EncodingSoundCardTests {
    @Test(.enabled(if: SoundCard.isVirtual), arguments: DeviceEncoding.allCases)
    func playedSamplesAreRecorded(encoding: DeviceEncoding) async throws {
        let card = try await onThread { try SoundCard(in: TestSupport.Scratch()) }
        let played = (0..<24_000).map { Float(0.9 * sin(2 * .pi * 19_000 / 48_000 * Double($0) + 0.1)) }
        var recorded: [Float] = []
        // A machine that is busy for 0.25 s makes a gap, which is no fault of the encoding.
        for attempt in 1...5 {
            let recording = try await onThread { try CardRecording(card, encoding: encoding) }
            let loudspeaker = try await onThread {
                try Loudspeaker(DeviceRequest(card.playbackName, encoding: encoding, bufferSeconds: 0.25))
            }
            #expect(
                recording.microphone.format.encoding == encoding && loudspeaker.format.encoding == encoding)
            let playback = try await loudspeaker.play(played)
            try await onThread { try recording.grow(by: 0.7) }
            let (samples, _, dropped) = recording.finish()
            loudspeaker.stop()
            recorded = samples
            if playback.underrunCount == 0, dropped == 0 { break }
            try #require(attempt < 5, "an underrun in each attempt")
        }

        let start = try #require(recorded.firstIndex { abs($0) > 0.01 })
        try #require(recorded.count - start >= played.count)
        let error = played.indices.map { abs(recorded[start + $0] - played[$0]) }.max() ?? 1
        // Encoding loses half a step, and so does the way back through the server, which uses floats.
        let bits = [.s16: 16, .s24: 24, .s24packed: 24, .s32: 24, .f32: 24][encoding] ?? 0
        #expect(error <= 2 * pow(2, -Float(bits)) * 1.01)
    }
}
