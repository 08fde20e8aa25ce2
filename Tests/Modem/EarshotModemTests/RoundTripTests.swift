import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotModem
import TestSupport
import Testing

/// Payloads of every length in every profile arrive as they were sent. A short run tests
/// three lengths at rates other than 48 kHz.
@Suite(.optimized) struct RoundTripTests {
    @Test(arguments: Profile.all, [44_100, 48_000, 88_200, 96_000, 192_000])
    func everyLength(_ profile: Profile, sampleRateHertz: Int) throws {
        var generator = SeededGenerator(seed: 77)
        let isEach = TestLength.isLong || sampleRateHertz == 48_000
        for byteCount in isEach ? Array(Payload.validCounts) : [1, 8, 32] {
            let payload = try Payload((0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) })
            let frame = try Transmitter(profile: profile, sampleRateHertz: sampleRateHertz)
                .samples(payload, amplitude: 0.1)
            var noise = WhiteNoise(seed: generator.next())
            var air = [Float](repeating: 0, count: sampleRateHertz / 10) + frame
            air += [Float](repeating: 0, count: sampleRateHertz / 20)
            let deviation = WhiteNoise.deviation(
                amplitude: 0.1, snrDecibels: 30, sampleRateHertz: sampleRateHertz)
            noise.add(to: &air, deviation: deviation)
            var receiver = try Receiver(sampleRateHertz: sampleRateHertz)
            var frames: [ReceivedFrame] = []
            receiver.push(air.span) { frames.append($0) }
            receiver.flush { frames.append($0) }
            #expect(frames.map(\.payload) == [payload], "\(byteCount) bytes, seed 77")
            #expect(frames.map(\.profileName) == [profile.name])
        }
    }

    /// Payloads that a code or a scrambler might treat badly.
    @Test(arguments: Profile.all)
    func extremePayloads(_ profile: Profile) throws {
        for byte in [UInt8(0x00), 0xFF, 0x55, 0xAA] {
            for byteCount in [1, 8, 32] {
                let payload = try Payload([UInt8](repeating: byte, count: byteCount))
                let frame = try Transmitter(profile: profile, sampleRateHertz: 48_000).samples(payload)
                var receiver = try Receiver(sampleRateHertz: 48_000)
                var frames: [ReceivedFrame] = []
                receiver.push(frame.span) { frames.append($0) }
                receiver.flush { frames.append($0) }
                #expect(frames.map(\.payload) == [payload])
            }
        }
    }
}
