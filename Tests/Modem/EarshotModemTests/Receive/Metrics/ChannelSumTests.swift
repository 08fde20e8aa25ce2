import EarshotBasics
import EarshotChannel
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// The sum of several channels against closed forms, and its statistics in noise.
@Suite(.optimized) struct ChannelSumTests {
    private func sum(_ weights: SIMD8<Float>) -> ChannelSum {
        var sum = ChannelSum()
        sum.prepare(ChannelShares(weights: weights))
        return sum
    }

    /// −ln P of one channel, of two equal ones, of two unequal ones, and of four equal ones. The table has straight
    /// lines between cells an eighth apart: an error of 1/512 of the curvature, which is at most 1.
    @Test func agreesWithClosedForms() {
        let forms: [(SIMD8<Float>, @Sendable (Double) -> Double)] = [
            ([0, 1, 0, 0, 0, 0, 0, 0], { $0 }),
            ([1, 1, 0, 0, 0, 0, 0, 0], { $0 - .log(1 + $0) }),
            ([1, 0.5, 0, 0, 0, 0, 0, 0], { $0 - .log(2 - .exp(-$0)) }),
            ([1, 1, 1, 1, 0, 0, 0, 0], { $0 - .log(1 + $0 + $0 * $0 / 2 + $0 * $0 * $0 / 6) }),
        ]
        for (weights, form) in forms {
            let sum = sum(weights)
            for step in 0..<300 {
                let s = Double(step) / 10
                let found = Double(sum.equivalent(Float(s)))
                #expect(abs(found - form(s)) < 0.004, "\(weights), s = \(s): \(found)")
            }
        }
    }

    /// In noise x̂ has the mean 1 and exceeds 3 with a probability of e⁻³, for any shares, in any order. The mean of
    /// 2·10⁴ sums is good to 0.7 %, and 1,000 ± 31 of them are above 3. The limits are five deviations away.
    @Test(
        arguments: [
            [1, 1, 0, 0, 0, 0, 0, 0], [1, 0.3, 0, 0, 0, 0, 0, 0], [0.2, 0.7, 1, 0.4, 0, 0, 0, 0],
            [1, 1, 1, 1, 1, 1, 1, 1],
        ] as [SIMD8<Float>]) func noiseHasTheStatisticsOfOneChannel(weights: SIMD8<Float>)
    {
        let sum = sum(weights)
        var generator = SeededGenerator(seed: 71)
        var (mean, aboveCount) = (0.0, 0)
        let count = 20_000
        for _ in 0..<count {
            var energies: Float = 0
            for channel in weights.indices { energies -= weights[channel] * .log(1 - generator.uniform()) }
            let found = sum.equivalent(energies)
            mean += Double(found) / Double(count)
            aboveCount += found > 3 ? 1 : 0
        }
        #expect(abs(mean - 1) < 0.036, "\(mean), seed 71")
        #expect(abs(aboveCount - 996) < 155, "\(aboveCount), seed 71")
    }

    /// Many sums at once equal sums one by one. A tone with the noise 0 gets the energy 0.
    @Test func manyAtOnce() {
        let sum = sum([1, 0.6, 0, 0, 0, 0, 0, 0])
        let inverse: [Float] = [1, 4, 0, 0.5]
        var energies = (0..<12).map { Float($0) * 1.7 }
        let before = energies
        var span = energies.mutableSpan
        sum.makeEquivalent(&span, inverseNoise: inverse, toneCount: 4)
        for index in energies.indices {
            let noise = inverse[index % 4] > 0 ? 1 / inverse[index % 4] : 0
            let expected = noise * sum.equivalent(before[index] * inverse[index % 4])
            #expect(abs(energies[index] - expected) < 1e-4 * max(expected, 1))
        }
    }
}
