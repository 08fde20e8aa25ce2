import EarshotCoding
import EarshotModem
import Foundation

/// Sounds that tests give to the tool, made by the library.
enum Sound {
    static func frame(_ hex: String, _ profile: Profile = .standard, rate: Int = 48_000) throws -> [Float] {
        try Transmitter(profile: profile, sampleRateHertz: rate).samples(Payload(hex: hex), amplitude: 0.25)
    }

    static func silence(_ seconds: Double, rate: Int = 48_000) -> [Float] {
        [Float](repeating: 0, count: Int(seconds * Double(rate)))
    }

    /// Frames on some of many channels; the other channels are silent.
    static func interleaved(_ channels: [Int: [Float]], channelCount: Int) -> [Float] {
        let frameCount = channels.values.map(\.count).max() ?? 0
        var samples = [Float](repeating: 0, count: frameCount * channelCount)
        for (channel, values) in channels {
            for (index, value) in values.enumerated() { samples[index * channelCount + channel] = value }
        }
        return samples
    }

    static func s16(_ samples: [Float]) -> Data {
        samples.reduce(into: Data(capacity: 2 * samples.count)) { data, sample in
            let value = UInt16(bitPattern: Int16(sample * 32_767))
            data.append(UInt8(value & 0xFF))
            data.append(UInt8(value >> 8))
        }
    }
}
