import EarshotAudio
import EarshotCoding
import EarshotModem
import Foundation
import TestSupport
import Testing

/// Sound files, each with a certificate that says what it contains; see Fixtures/make_fixtures.py.
@Suite(.optimized) struct FixtureTests {
    private struct Certificate: Decodable {
        struct Frame: Decodable {
            let payload: String
            let start: Double
        }
        let profile: String
        let frames: [Frame]
        let toleranceSeconds: Double
    }

    private struct Heard {
        let payload: String
        let profile: String
        let seconds: Double
    }

    @Test(arguments: [
        "token-standard-clean.48000.s16", "token-fast-room.44100.s16", "token-far-noise.48000.u8",
        "two-talkers.48000.u8", "text-payload-12-bytes.44100.s16", "token-pilot-tone.48000.s16",
    ])
    func everyPayloadIsHeardOnceAndNothingElse(name: String) throws {
        let certificate = try JSONDecoder().decode(
            Certificate.self, from: Repository.contents("Fixtures/\(name).json"))
        let heard = try listen(to: Repository.path("Fixtures/\(name).wav"))
        #expect(heard.map(\.payload).sorted() == certificate.frames.map(\.payload).sorted())
        for frame in heard {
            #expect(frame.profile == certificate.profile)
            for sent in certificate.frames where sent.payload == frame.payload {
                let error = abs(frame.seconds - sent.start)
                #expect(error <= certificate.toleranceSeconds, "\(frame.payload) at \(frame.seconds) s")
            }
        }
    }

    /// Every file has a test.
    @Test func everyFixtureIsListed() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Repository.path("Fixtures"))
        #expect(names.filter { $0.hasSuffix(".wav") }.count == 6)
    }

    private func listen(to path: String) throws -> [Heard] {
        var file = try SoundFileReader(path: path)
        let rate = file.sampleRateHertz
        #expect(file.channelCount == 1)
        var receiver = try Receiver(sampleRateHertz: rate)
        var heard: [Heard] = []
        func take(_ frame: ReceivedFrame) {
            let seconds = Double(frame.startSample) / Double(rate)
            heard.append(Heard(payload: frame.payload.hex, profile: frame.profileName, seconds: seconds))
        }
        var block: [Float] = []
        while case let count = try file.read(into: &block, maxFrames: 4_096), count > 0 {
            receiver.push(block.span.extracting(0..<count), onFrame: take)
        }
        receiver.flush(onFrame: take)
        return heard
    }
}
