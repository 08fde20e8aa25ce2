import EarshotBasics
import EarshotChannel
import EarshotCoding
import RealModule
import TestSupport
import Testing

/// The code of `standard` compared with the best possible code of its length.
///
/// 88 bits (64 of payload, 24 of check) in n = 44 tones of M = 32, orthogonal, phase unknown, white noise. With
/// γ = Es/N0 = Eb/N0 · 64/44 and E the tones' energies over that of the noise, the information density of a tone is
///
///     i = log2( I₀(2√(γE_sent)) / (1/M · Σₘ I₀(2√(γE_m))) )
///
/// and with C its mean and V its variance the best code of that length loses about
///
///     ε = Q( (n·C − 88 + ½·log2 n) / √(n·V) )
///
/// of its frames (Polyanskiy, Poor, Verdú: Channel coding rate in the finite blocklength regime, 2010:
/// the normal approximation with its third term). C and V are measured here, by simulating the channel. From 2 million tones: ε = 10.2 % at
/// 3.65 dB, 1.6 % at 4.15 dB, 0.76 % at 4.3 dB.
@Suite(.optimized) struct FrameErrorRateTests {
    private static let stepCount = 44

    /// - Parameter allowedLossDecibels: how much more signal this code may need than the bound. With the true
    ///   likelihood it loses 11.7 % at 4.15 dB (`trellis-search simulate --steps 44`). The bound loses as many at
    ///   3.6 dB, 0.55 dB below; the other 0.2 dB are for ln(1 + E). The bound is steeper than any code of 1,024 states,
    ///   hence the larger limit at 4.9 dB. A share of 12 % of 4,000 frames has a deviation of 0.5 %, or 0.02 dB.
    @Test(arguments: [(4.15, 0.75), (4.9, 1.1)])
    func isCloseToTheFiniteLengthBound(bitEnergyDecibels: Double, allowedLossDecibels: Double) {
        let seed = UInt64(bitEnergyDecibels * 100)
        let frameCount = 4_000
        let rate = frameErrorRate(bitEnergyDecibels: bitEnergyDecibels, frameCount: frameCount, seed: seed)
        let bound = boundOnErrorRate(bitEnergyDecibels: bitEnergyDecibels)
        let limit = boundOnErrorRate(bitEnergyDecibels: bitEnergyDecibels - allowedLossDecibels)
        let summary = "\(rate) of \(frameCount) frames lost, bound \(bound), limit \(limit), seed \(seed)"
        #expect(rate <= limit, "\(summary)")
        // A rate below the bound is impossible, so it would be a mistake of this test.
        #expect(rate >= bound, "\(summary)")
    }

    private func frameErrorRate(bitEnergyDecibels: Double, frameCount: Int, seed: UInt64) -> Double {
        let code = ProtocolCode.standard.code
        var channel = OrthogonalChannel(toneEnergy: toneEnergy(bitEnergyDecibels), toneCount: 32, seed: seed)
        var random = SeededGenerator(seed: seed + 1)
        var decoder = TrellisDecoder(memoryBits: 10, longestStepCount: Self.stepCount)
        var decoded = [UInt8](repeating: 0, count: Self.stepCount)
        var wrong = 0
        for _ in 0..<frameCount {
            let pairs = random.bytes(Self.stepCount).map { $0 & 3 }
            let metrics = code.encode(pairs).flatMap { tone in
                channel.energies(sent: Int(tone)).map { Float(.log(1 + $0)) }
            }
            decoder.decode(code, metrics, stepCount: Self.stepCount, into: &decoded)
            wrong += decoded == pairs ? 0 : 1
        }
        return Double(wrong) / Double(frameCount)
    }

    /// ε, from 20,000 simulated tones: C has an error of √V/√20,000 = 0.016 bits, 0.03 dB.
    private func boundOnErrorRate(bitEnergyDecibels: Double) -> Double {
        let gamma = toneEnergy(bitEnergyDecibels)
        var channel = OrthogonalChannel(toneEnergy: gamma, toneCount: 32, seed: 20)
        let densities = (0..<20_000).map { _ in
            let likelihoods = channel.energies(sent: 0).map { Reference.besselI0(2 * (gamma * $0).squareRoot()) }
            return Double.log2(32 * likelihoods[0] / likelihoods.reduce(0, +))
        }
        let count = Double(densities.count)
        let capacity = densities.reduce(0, +) / count
        let variance = densities.reduce(0) { $0 + ($1 - capacity) * ($1 - capacity) } / count
        let n = Double(Self.stepCount)
        let argument = (n * capacity - 88 + 0.5 * .log2(n)) / (n * variance).squareRoot()
        return 0.5 * .erfc(argument / 2.0.squareRoot())
    }

    /// Eb counts the 64 bits of payload; 44 tones carry them.
    private func toneEnergy(_ bitEnergyDecibels: Double) -> Double {
        powerRatio(decibels: bitEnergyDecibels) * 64 / Double(Self.stepCount)
    }
}

/// Energies of M orthogonal tones of which one was sent, in units of the noise's mean energy.
private struct OrthogonalChannel {
    let toneEnergy: Double
    let toneCount: Int
    private var noise: WhiteNoise

    init(toneEnergy: Double, toneCount: Int, seed: UInt64) {
        self.toneEnergy = toneEnergy
        self.toneCount = toneCount
        noise = WhiteNoise(seed: seed)
    }

    mutating func energies(sent: Int) -> [Double] {
        (0..<toneCount).map { tone in
            let signal = ComplexDouble(tone == sent ? toneEnergy.squareRoot() : 0, 0)
            let deviation = 0.5.squareRoot()
            return (signal + deviation * ComplexDouble(Double(noise.next()), Double(noise.next()))).power
        }
    }
}
