import EarshotChannel
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// Noise that channels have in common.
@Suite(.optimized) struct ChannelCoherenceTests {
    /// The sums over the cells of a block of two channels whose noise has a correlation of γ.
    private func block(_ gamma: Float, _ noise: inout WhiteNoise) -> SIMD8<Float> {
        let other = (1 - gamma * gamma).squareRoot()
        var sums = SIMD8<Float>()
        for _ in 0..<360 {
            let (a, b) = (SIMD2(noise.next(), noise.next()), SIMD2(noise.next(), noise.next()))
            let c = gamma * a + other * b
            // Energies of mean 1, as the search's cells.
            let (p, q) = ((a * a).sum() / 2, (c * c).sum() / 2)
            let x = min(p / (1 + p / SyncSearch.saturation), ChannelCoherence.maximumCell)
            let y = min(q / (1 + q / SyncSearch.saturation), ChannelCoherence.maximumCell)
            sums += SIMD8(1, x, y, x * x, y * y, x * y, 0, 0)
        }
        return sums
    }

    private func coherence(_ gamma: Float, seed: UInt64) -> ChannelCoherence {
        var (noise, coherence) = (WhiteNoise(seed: seed), ChannelCoherence())
        for _ in 0..<40 { coherence.add(block(gamma, &noise), 1, 0) }
        return coherence
    }

    /// g is |γ|², rounded down to a sixteenth; limited cells lose up to a tenth of it.
    @Test(arguments: [Float(0), 0.5, 0.8, 1]) func isMeasured(gamma: Float) {
        let found = coherence(gamma, seed: 91)[1, 0]
        #expect(found <= gamma * gamma + 0.04 && found >= 0.9 * gamma * gamma - 0.0625 - 0.04, "\(found), seed 91")
    }

    /// A frame is in all channels alike for a few blocks. With a memory of 32 blocks, 3 common ones are 3/32 of the sums after 32 others
    /// (9 %), so g is at most two sixteenths; noise that is common for 100 blocks is 1 − e^{−100/32} = 96 % of them.
    @Test func aFrameIsNoCommonNoise() {
        var (noise, coherence) = (WhiteNoise(seed: 95), coherence(0, seed: 96))
        for _ in 0..<3 {
            coherence.add(block(1, &noise), 1, 0)
            #expect(coherence[1, 0] <= 2 / 16, "\(coherence[1, 0]), seeds 95 and 96")
        }
        for _ in 0..<100 { coherence.add(block(1, &noise), 1, 0) }
        #expect(coherence[1, 0] >= 14 / 16, "\(coherence[1, 0]), seeds 95 and 96")
    }

    /// Two equal channels have the variances 1 ± γ; the sum and the sum of squares are those of the matrix for any shares.
    @Test func variancesAreEigenvalues() {
        let coherence = coherence(0.8, seed: 92)
        let gamma = coherence[1, 0].squareRoot()
        let equal = coherence.variances(of: ChannelShares(weights: [1, 1, 0, 0, 0, 0, 0, 0]))
        #expect(abs(equal.max() - 1 - gamma) < 1e-4 && abs(equal.sum() - 2) < 1e-4)
        let shares = ChannelShares(weights: [1, 0.5, 0.3, 0, 0.7, 0, 0, 0])
        let found = coherence.variances(of: shares)
        #expect(abs(found.sum() - 2.5) < 1e-4)
        let squares: Float = 1 + 0.25 + 0.09 + 0.49 + 2 * 0.5 * coherence[1, 0]
        #expect(abs((found * found).sum() - squares) < 1e-3)
        #expect(ChannelCoherence().variances(of: shares) == shares.values)
    }

    /// Two channels that share most of their noise cause no more candidates than two that share none: those of each
    /// channel alone, and about as many of their sum. 20 s of noise give 120 ± 11 for one channel. A candidate of the
    /// sum at the place of a channel's own candidate does not count again.
    @Test(arguments: [Float(0), 0.5, 0.8, 0.97]) func commonNoiseCausesNoMoreCandidates(gamma: Float) throws {
        var (first, second) = (WhiteNoise(seed: 93), WhiteNoise(seed: 94))
        var one = try Receiver(sampleRateHertz: 48_000)
        var two = try Receiver(sampleRateHertz: 48_000, channelCount: 2)
        let other = (1 - gamma * gamma).squareRoot()
        for _ in 0..<20 {
            var (alone, pairs): ([Float], [Float]) = ([], [])
            for _ in 0..<48_000 {
                let a = 0.02 * first.next()
                alone.append(a)
                pairs += [a, gamma * a + other * 0.02 * second.next()]
            }
            one.push(alone.span) { _ in }
            two.push(pairs.span) { _ in }
        }
        let counts = (one.statistics.candidates, two.statistics.candidates)
        #expect(Double(counts.1) < 2.5 * Double(counts.0), "\(counts), seeds 93 and 94")
    }
}
