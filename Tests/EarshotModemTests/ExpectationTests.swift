import EarshotCoding
import EarshotModem
import Testing

/// Who reads a microphone a few blocks at a time relies on being told in time that a frame is on the air.
struct ExpectationTests {
    @Test func aFrameIsExpectedEighteenSymbolsBehindItsStart() throws {
        for profile in Profile.all {
            for start in stride(from: 0, through: 0.3, by: 0.037) {
                let frame = try Transmitter(profile: profile, sampleRateHertz: 48_000).samples(
                    Payload(hex: "a5"), amplitude: 0.25)
                let lead = Int(start * 48_000)
                let sound = [Float](repeating: 0, count: lead) + frame + [Float](repeating: 0, count: 8 * 48_000)
                var receiver = try Receiver(sampleRateHertz: 48_000)
                var frames = 0
                var expectedFrom: Int?
                var first = 0
                while first < sound.count {
                    let block = first..<min(first + 480, sound.count)
                    receiver.push(sound.span.extracting(block)) { _ in frames += 1 }
                    first = block.upperBound
                    if expectedFrom == nil, receiver.isExpecting { expectedFrom = first }
                }
                #expect(frames == 1)
                // Blocks of ten milliseconds, a quantum of 10.7 ms and half a filter of 1.3 ms; of 81 starts a profile, 3.7 ms
                // apart, the latest were expected 16.8, 17.3 and 17.4 symbols and that behind their start.
                let limit = lead + Int((18 * profile.symbolSeconds + 0.022) * 48_000)
                #expect(try #require(expectedFrom) <= limit, "\(profile.name), \(start) s")
                #expect(receiver.isExpecting == false)
            }
        }
    }
}
