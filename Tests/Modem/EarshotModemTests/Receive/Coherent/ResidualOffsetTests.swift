import EarshotBasics
import EarshotDSP
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// J of given correlations, and its peaks.
@Suite(.optimized) struct ResidualOffsetTests {
    private static let delayCount = 12
    private static let format = BasebandFormat(profile: .standard)
    /// Bins of 1/(128·T) for a token.
    private static let hertzPerBin = 46.875 / 128

    /// One path: its delay, the offset of its phase from symbol to symbol, and C's magnitude.
    private struct Path {
        var delay: Int
        var hertz: Double
        var magnitude: Double
    }

    /// C[k][d] = Σ a·e^{j2πf·kT}, of a token.
    private func correlations(_ paths: [Path]) -> [ComplexSample] {
        var values = [ComplexDouble](repeating: ComplexDouble(), count: 52 * Self.delayCount)
        for path in paths {
            for symbol in 0..<52 {
                let turns = path.hertz * Double(symbol) / 46.875
                values[symbol * Self.delayCount + path.delay] += path.magnitude * .phasor(turns: turns)
            }
        }
        return values.map { ComplexSample($0) }
    }

    private func measured(
        _ correlations: [ComplexSample], weights: [Float]? = nil, noise: Float = 1e-6
    ) -> ResidualOffset {
        var offset = ResidualOffset(format: Self.format, delayCount: Self.delayCount)
        offset.begin(symbolCount: 52)
        offset.add(
            correlations, from: 0, symbolCount: 52, weights: weights ?? [Float](repeating: 1, count: 52), noise: noise,
            scale: 1)
        return offset
    }

    /// Finds the offset of one path anywhere between two bins. There J is (sin πx/πx)², x = bins·52/128, and the
    /// parabola through three of its bins is at most 0.0444 bins off.
    @Test func findsTheOffsetOfAPath() throws {
        for hertz in stride(from: -9.0, through: 9, by: 0.37) {
            let offset = measured(correlations([Path(delay: 5, hertz: hertz, magnitude: 40)]))
            let peak = offset.peakHertz(rank: 0, stillHertz: nil)
            let found = try #require(peak)
            #expect(abs(Double(found) - hertz) < 0.05 * Self.hertzPerBin, "\(hertz) Hz: \(found) Hz")
        }
    }

    /// The stronger of two paths is the first peak and the weaker the second. If the devices are known to be
    /// at rest at an offset, the peak near that offset is the first. The side lobes of the stronger, −13 dB
    /// and falling, are below the weaker, −3 dB.
    @Test func ranksItsPeaks() throws {
        let offset = measured(
            correlations([Path(delay: 2, hertz: 7, magnitude: 40), Path(delay: 9, hertz: -3, magnitude: 28)]))
        let peaks = (0..<2).map { offset.peakHertz(rank: $0, stillHertz: nil) ?? .nan }
        #expect(abs(peaks[0] - 7) < 0.1 && abs(peaks[1] + 3) < 0.1, "\(peaks)")
        let still = offset.peakHertz(rank: 0, stillHertz: -2) ?? .nan
        #expect(abs(still + 3) < 0.1, "\(still)")
        let outside = offset.peakHertz(rank: 0, stillHertz: 60)
        #expect(outside == nil)
    }

    /// No peak is found below θ·noise. C's noise has N² times the power of a tone's noise.
    @Test func noiseHasNoPeak() {
        let path = correlations([Path(delay: 5, hertz: 6 * Self.hertzPerBin, magnitude: 1)])
        // J's top is (52·1)², the limit 5·52·64²·noise.
        let edge = Float(52 * 52) / (5 * 52 * 64 * 64)
        let quiet = measured(path, noise: 1.01 * edge).peakHertz(rank: 0, stillHertz: nil)
        let loud = measured(path, noise: 0.9 * edge).peakHertz(rank: 0, stillHertz: nil)
        #expect(quiet == nil && loud != nil)
    }

    /// J in Double, by sums instead of transforms, of random correlations with random weights: the same peaks, to the bin.
    @Test(arguments: [UInt64(11), 12, 13, 14]) func agreesWithASlowTwin(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let correlations = random.complex(52 * Self.delayCount).map { $0 * 10 }
        let weights = (0..<52).map { _ in Float.random(in: 0...1, using: &random) }
        let noise: Float = 0.003
        let offset = measured(correlations, weights: weights, noise: noise)
        let squares = weights.reduce(0.0) { $0 + Double($1 * $1) }
        let limit = 5 * squares * 64 * 64 * Double(noise)
        let sums = (-28...28).map { bin in
            (0..<Self.delayCount).reduce(0.0) { total, delay in
                let sum = (0..<52).reduce(ComplexDouble()) { sum, symbol in
                    let c = ComplexDouble(correlations[symbol * Self.delayCount + delay])
                    return sum + Double(weights[symbol]) * c.times(.phasor(turns: -Double(bin * symbol) / 128))
                }
                return total + max(0, sum.power - limit)
            }
        }
        // Bins of 0.2 tone spacings to either side: 25.
        let peaks = (3..<54).filter { sums[$0] > sums[$0 - 1] && sums[$0] > sums[$0 + 1] }
            .sorted { sums[$0] > sums[$1] }
        try #require(peaks.count >= 3, "seed \(seed)")
        for rank in 0..<3 {
            let bin = peaks[rank]
            let top = parabola(sums[bin - 1], sums[bin], sums[bin + 1])
            let expected = (Double(bin - 28) + top) * Self.hertzPerBin
            let peak = offset.peakHertz(rank: rank, stillHertz: nil)
            let found = try #require(peak, "seed \(seed)")
            #expect(abs(Double(found) - expected) < 1e-2 * Self.hertzPerBin, "rank \(rank), seed \(seed)")
        }
    }

    /// Where the parabola through three points has its top.
    private func parabola(_ left: Double, _ middle: Double, _ right: Double) -> Double {
        0.5 * (left - right) / (left - 2 * middle + right)
    }
}
