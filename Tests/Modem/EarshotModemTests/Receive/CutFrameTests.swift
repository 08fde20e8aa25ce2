import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotLoopback
import EarshotModem
import TestSupport
import Testing

/// A token's frame decodes from its second group of sync tones alone if its beginning is missing.
@Suite(.optimized) struct CutFrameTests {
    private static let trialCount = 20

    /// A profile, and the nine and a half symbols that are cut, in milliseconds.
    private static let rows = [(Profile.fast, 100), (.standard, 200), (.far, 400)]

    private func sound(_ profile: Profile, seed: UInt64) throws -> (air: [Float], payload: Payload, start: Int) {
        var scene = AirScene()
        scene.profile = profile
        scene.snrDecibels = 20
        let (air, payload, start) = try scene.sound(seed: seed)
        return (air, payload, start)
    }

    private func hear(_ air: [Float]) throws -> [ReceivedFrame] {
        var receiver = try Receiver(sampleRateHertz: 48_000)
        var frames: [ReceivedFrame] = []
        receiver.push(air.span) { frames.append($0) }
        receiver.flush { frames.append($0) }
        return frames
    }

    /// The recording begins after the frame's start, and the reported start is before the recording.
    @Test(arguments: rows) func aRecordingBeginsLate(profile: Profile, milliseconds: Int) throws {
        var decoded = 0
        for seed in 1...UInt64(Self.trialCount) {
            let (air, payload, start) = try sound(profile, seed: seed)
            let cut = start + 48 * milliseconds
            let frames = try hear(Array(air[cut...]))
            #expect(frames.allSatisfy { $0.payload == payload } && frames.count <= 1, "seed \(seed)")
            guard let frame = frames.first else { continue }
            decoded += 1
            #expect(abs(frame.startSample + 48 * milliseconds) < 240, "\(frame.startSample), seed \(seed)")
        }
        #expect(decoded >= 19, "\(profile), \(milliseconds) ms: \(decoded) of \(Self.trialCount)")
    }

    /// The talker's device begins late, in the middle of a recording: noise replaces the first tones.
    @Test(arguments: rows) func aTalkerBeginsLate(profile: Profile, milliseconds: Int) throws {
        let deviation = WhiteNoise.deviation(amplitude: 0.25, snrDecibels: 20, sampleRateHertz: 48_000)
        var decoded = 0
        for seed in 1...UInt64(Self.trialCount) {
            var (air, payload, start) = try sound(profile, seed: seed)
            var noise = WhiteNoise(seed: seed)
            for index in start..<start + 48 * milliseconds { air[index] = deviation * noise.next() }
            let frames = try hear(air)
            #expect(frames.allSatisfy { $0.payload == payload } && frames.count <= 1, "seed \(seed)")
            decoded += frames.count
        }
        #expect(decoded >= 19, "\(profile), \(milliseconds) ms: \(decoded) of \(Self.trialCount)")
    }
}
