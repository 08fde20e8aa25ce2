import EarshotChannel
import EarshotCoding
import EarshotDSP
import EarshotModem
import RealModule

@testable import EarshotModem

/// Real frames as a receiver's history holds them.
enum ReplicaScene {
    /// Where the frame begins.
    static let start = 300.0

    /// A frame from an inexact clock, after the downconverter, at baseband index `start`.
    static func history(_ payload: Payload, _ profile: Profile, relativeOffset: Double = 0) throws -> BasebandHistory {
        let frame = try Transmitter(profile: profile, sampleRateHertz: 48_000).samples(payload, amplitude: 0.5)
        var warped = Warped(StoredSound(frame), .steady(relativeOffset: relativeOffset, fractionalDelay: 0))
        let silence = [Float](repeating: 0, count: Int(start) * 16)
        let samples = silence + warped.readAll() + [Float](repeating: 0, count: 16_000)
        var downconverter = Downconverter(
            Downconverter.Design(
                inputRateHertz: 48_000, outputRateHertz: BasebandFormat.rateHertz(profile),
                centreHertz: Int(profile.centreHertz), passbandHertz: 850))
        var baseband = [ComplexSample](repeating: ComplexSample(), count: downconverter.maximumOutputCount)
        let history = BasebandHistory(keptCount: 24_000)
        for first in stride(from: 0, to: samples.count, by: Downconverter.maximumInputCount) {
            let end = min(first + Downconverter.maximumInputCount, samples.count)
            let count = downconverter.process(samples.span.extracting(first..<end), into: &baseband)
            history.append(baseband, 0..<count)
        }
        return history
    }

    /// The samples of a stretch.
    static func samples(_ history: BasebandHistory, from first: Int, count: Int) -> [ComplexSample] {
        history.withSamples(from: first, count: count) { x in
            x.indices.map { x[$0] }
        }
    }

    static func power(_ samples: [ComplexSample]) -> Double {
        samples.reduce(0) { $0 + Double($1.power) }
    }
}
