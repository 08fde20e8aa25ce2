import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotDSP
import RealModule

@testable import EarshotModem

/// Frames and white noise, put straight into the baseband.
///
/// A tone of amplitude A in noise of power P a sample has, over N samples, an energy of A² and noise of P/N in a tone's width.
/// Over the noise in 1,500 Hz, half of the baseband's rate, it has 2·A²/P.
struct BasebandScene {
    private(set) var samples: [ComplexSample]

    /// Noise over which a tone of amplitude 1 has `snrDecibels` in 1,500 Hz.
    init(count: Int, snrDecibels: Double, seed: UInt64) {
        var noise = WhiteNoise(seed: seed)
        // Half of P in each of the real and the imaginary part.
        let deviation = Float(Double.pow(10, -snrDecibels / 20))
        samples = (0..<count).map { _ in ComplexSample(noise.next(), noise.next()) * deviation }
    }

    /// Adds a frame of these tones, as `FrameReplica` makes it.
    mutating func add(
        _ tones: [Int], _ profile: Profile, start: Double, offsetHertz: Double = 0,
        gain: ComplexSample = ComplexSample(1, 0)
    ) {
        var replica = FrameReplica(profiles: [profile])
        replica.make(
            tones, symbolCount: tones.count, BasebandFormat(profile: profile), start: start, offsetHertz: offsetHertz)
        for index in 0..<replica.sampleCount where samples.indices.contains(replica.firstIndex + index) {
            samples[replica.firstIndex + index] += replica.samples[index].times(gain)
        }
    }

    /// A history that holds the whole scene.
    var history: BasebandHistory {
        let history = BasebandHistory(keptCount: samples.count + 4_096)
        history.append(samples, 0..<samples.count)
        return history
    }
}

extension Payload {
    /// The token that belongs to a seed.
    static func token(seed: UInt64) -> Payload {
        var generator = SeededGenerator(seed: seed)
        let bytes = (0..<tokenCount).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        guard let payload = try? Payload(bytes) else { preconditionFailure("\(bytes)") }
        return payload
    }
}

/// |z|.
func magnitude(_ z: ComplexSample) -> Float { z.power.squareRoot() }
