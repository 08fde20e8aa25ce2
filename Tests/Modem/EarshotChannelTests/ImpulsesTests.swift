import EarshotChannel
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct ImpulsesTests {
    private static let rate = 48_000

    /// The impulses and their positions; overlapping impulses count as one.
    private func bursts(_ kind: ImpulseKind, perSecond: Double, seconds: Int, seed: UInt64) -> [(Int, [Float])] {
        var source = Impulses(
            kind, perSecond: perSecond, amplitude: 0.1, sampleRateHertz: Self.rate, seed: seed)
        var bursts: [(Int, [Float])] = []
        var isSounding = false
        for second in 0..<seconds {
            for (index, sample) in source.read(count: Self.rate).enumerated() {
                if sample != 0 {
                    if !isSounding { bursts.append((second * Self.rate + index, [])) }
                    bursts[bursts.count - 1].1.append(sample)
                }
                isSounding = sample != 0
            }
        }
        return bursts
    }

    /// 5 clicks a second for 400 s are 2,000 ± 45, and one in 1,300 overlaps another. The intervals are
    /// exponentially distributed, so their mean and deviation are equal, within √(1/2,000) and √(2/2,000) of
    /// their values. The limits are five times that.
    @Test func clicksArriveByThemselves() {
        let clicks = bursts(.clicks, perSecond: 5, seconds: 400, seed: 1)
        #expect(abs(clicks.count - 2_000) < 5 * 45 + 5, "\(clicks.count), seed 1")
        let gaps = zip(clicks, clicks.dropFirst()).map { Double($1.0 - $0.0) / Double(Self.rate) }
        let mean = gaps.reduce(0, +) / Double(gaps.count)
        let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(gaps.count)
        #expect(abs(mean / 0.2 - 1) < 5 * 0.0224, "\(mean) s, seed 1")
        #expect(abs(variance.squareRoot() / 0.2 - 1) < 5 * 0.0316, "\(variance.squareRoot()) s, seed 1")
        // Uniform from 1 sample to 0.3 ms, 14.4 samples.
        let lengths = clicks.map { $0.1.count }
        #expect(lengths.min() == 1)
        #expect(lengths.count { $0 > 14 } < 10)
        #expect(lengths.contains(14))
    }

    /// Peaks are uniform within 6 dB: their mean has a deviation of 12/√12/√2,000 = 0.08 dB; the limit is five times
    /// that.
    @Test func peaksSpreadOver12Decibels() {
        let peaks = bursts(.clicks, perSecond: 5, seconds: 400, seed: 2).map { burst in
            2 * decibels(Double(burst.1.map(abs).max() ?? 0) / 0.1)
        }
        let mean = peaks.reduce(0, +) / Double(peaks.count)
        #expect(abs(mean) < 0.4, "\(mean) dB, seed 2")
        let sorted = peaks.sorted()
        // Quantiles near both ends instead of the extremes, because a few impulses may overlap.
        #expect(abs(sorted[peaks.count / 100] + 6) < 0.3 && sorted[0] > -6.01, "seed 2")
        #expect(abs(sorted[peaks.count * 99 / 100] - 6) < 0.3, "seed 2")
        // Half of the impulses start with either sign: 1,000 ± 22.
        let positive = bursts(.clicks, perSecond: 5, seconds: 400, seed: 2).count { $0.1[0] > 0 }
        #expect(abs(positive - peaks.count / 2) < 110, "seed 2")
    }

    /// One key in 10 s, so that each stroke and its release are alone: 200 strokes in 2,000 s.
    ///
    /// Power decays by 60 dB over an impulse's length, so its second half has a thousandth of the first half's energy.
    /// About 20 samples determine the energy of a half, with a relative variance of 0.8: that makes 20 % for each half,
    /// and 0.09 dB for the mean of 400 ratios. The logarithm of sums has no bias; a mean of logarithms would have one.
    @Test func keysStrikeAndComeBackUp() {
        let bursts = bursts(.keys, perSecond: 0.1, seconds: 2_000, seed: 3)
        let starts = bursts.map { $0.0 }
        let strokes = bursts.indices.dropLast(2).dropFirst().filter { index in
            // No other stroke within half a second, only its release.
            starts[index] - starts[index - 1] > Self.rate / 2 && starts[index + 2] - starts[index] > Self.rate / 2
                && starts[index + 1] - starts[index] < Self.rate / 2
        }
        #expect(strokes.count > 150, "\(strokes.count), seed 3")
        var first = 0.0
        var second = 0.0
        for index in strokes {
            let distance = Double(starts[index + 1] - starts[index]) / Double(Self.rate)
            #expect((0.06...0.12).contains(distance), "released after \(distance) s")
            let (stroke, release) = (bursts[index].1, bursts[index + 1].1)
            #expect(abs(2 * decibels(Double(abs(release[0] / stroke[0]))) + 10) < 0.001)
            for burst in [stroke, release] {
                let milliseconds = 1_000 * Double(burst.count) / Double(Self.rate)
                #expect((2.97...8.01).contains(milliseconds), "\(milliseconds) ms")
                #expect(burst.map(abs).max() == abs(burst[0]))
                // Without the first sample, because it is a peak, not noise.
                let energies = burst.dropFirst().map { Double($0 / burst[0]) * Double($0 / burst[0]) }
                first += energies.prefix(burst.count / 2).reduce(0, +)
                second += energies.dropFirst(burst.count / 2).reduce(0, +)
            }
        }
        #expect(abs(decibels(second / first) + 30) < 0.5, "\(decibels(second / first)) dB, seed 3")
        let counts = strokes.map { Double(bursts[$0].1.count) / Double(Self.rate) }
        // Uniform in 3 to 8 ms: a mean of 5.5 ± 1.44/√150 = 0.12 ms.
        let mean = counts.reduce(0, +) / Double(counts.count)
        #expect(abs(mean - 0.0055) < 0.0006, "\(mean) s, seed 3")
    }

    @Test(arguments: ImpulseKind.allCases)
    func isTheSameInAnyBlocks(kind: ImpulseKind) {
        expectSameInAnyBlocks(count: 100_000) {
            Impulses(kind, perSecond: 60, amplitude: 0.3, sampleRateHertz: 48_000, seed: 4)
        }
    }
}
