import EarshotCoding
import EarshotDSP
import RealModule

/// Measures the start and frequency offset of a decoded frame, more precisely than decoding needs.
///
///     g[k] = Σₙ r*[n]·x[n] over symbol k                 the channel's response to its tone
///     C(τ, f) = Σₖ g[k]·e^{−j2π·(toneₖ·τ + f·k·N')}       a matched filter for delay and offset at once
///
/// Each symbol measures the channel at one frequency, and all hops together measure it at all frequencies. So the delay
/// is known within half a symbol on either side, although a single symbol does not give it. The offset maximises Σ |C|⁴
/// over τ, which favours few strong paths; the start is the delay after which the most energy follows within an echo's
/// decay.
///
/// Cost: N/2 FFTs of 256 points.
struct FrameAlignment: ~Copyable {
    private static let transformLength = 256
    /// The time in which an echo's energy falls to 1/e: RT60 0.3 s.
    private static let decaySeconds = 0.02

    private var transform: FFTPlan
    private var gains: [ComplexSample]
    private var steps: [Int]
    private var powers: [Float]
    private var sums: [Float]
    private var turns: [ComplexSample]

    init(profiles: [Profile]) {
        let longestSymbol = BasebandFormat.longestSymbol(profiles)
        transform = FFTPlan(length: FrameAlignment.transformLength, hasInverse: false)
        gains = [ComplexSample](repeating: ComplexSample(), count: FrameAlignment.transformLength)
        steps = [Int](repeating: 0, count: FrameAlignment.transformLength)
        powers = [Float](repeating: 0, count: longestSymbol / 2 * FrameAlignment.transformLength)
        sums = [Float](repeating: 0, count: FrameAlignment.transformLength)
        turns = [ComplexSample](repeating: ComplexSample(), count: 2 * longestSymbol)
    }

    /// Measures the distance of the frame from its replica.
    /// - Returns: the delay in baseband samples and the offset in hertz, both to be added.
    mutating func measure(
        _ replica: borrowing FrameReplica, tones: [Int], _ format: BasebandFormat, symbolLength: Double,
        _ history: BasebandHistory
    ) -> (delay: Double, offsetHertz: Double) {
        let length = format.samplesPerSymbol
        let count = min(tones.count, FrameAlignment.transformLength)
        for symbol in 0..<count {
            gains[symbol] = gain(replica, symbol, symbolLength, history)
            // In half cycles a symbol: 2·(m − M/2) + 1.
            steps[symbol] = 2 * (tones[symbol] - format.profile.toneCount / 2) + 1
        }
        for index in 0..<2 * length {
            turns[index] = fastUnitPhasor(turns: -Float(index) / Float(2 * length))
        }
        for bin in sums.indices {
            sums[bin] = 0
        }
        let delayCount = length / 2
        for delay in 0..<delayCount {
            transformGains(count, delay: 2 * delay - length / 2, length)
            let base = delay * FrameAlignment.transformLength
            transform.copyPowers(ofBins: 0..<FrameAlignment.transformLength, into: &powers, at: base)
            for bin in sums.indices {
                sums[bin] += powers[base + bin] * powers[base + bin]
            }
        }
        let bin = peak(sums)
        return (
            delay: onset(bin: bin, delayCount, format),
            offsetHertz: bin.offset / Double(FrameAlignment.transformLength) * Double(format.rateHertz) / symbolLength
        )
    }

    private func gain(
        _ replica: borrowing FrameReplica, _ symbol: Int, _ symbolLength: Double, _ history: BasebandHistory
    ) -> ComplexSample {
        let first = Int(Double(symbol) * symbolLength)
        let last = min(Int(Double(symbol + 1) * symbolLength), replica.sampleCount)
        guard history.holds(from: replica.firstIndex + first, count: last - first) else { return ComplexSample() }
        let reference = replica.samples.span.extracting(first..<last)
        return history.withSamples(from: replica.firstIndex + first, count: last - first) { x in
            var sum = ComplexSample()
            for n in x.indices {
                sum += x[n].times(reference[n].conjugate)
            }
            return sum
        }
    }

    private mutating func transformGains(_ count: Int, delay: Int, _ length: Int) {
        let period = 2 * length
        let (gains, steps, turns) = (gains, steps, turns)
        transform.withMutableSamples { input in
            for symbol in 0..<count {
                // e^{+j2π·tone·τ/N}: a delay of τ turned the gain by the opposite.
                let place = (period - (steps[symbol] * delay % period + period) % period) % period
                input[symbol] = gains[symbol].times(turns[place])
            }
            for symbol in count..<FrameAlignment.transformLength {
                input[symbol] = ComplexSample()
            }
        }
        transform.forward()
    }

    /// The bin of the greatest sum, and the maximum of the parabola through it and its neighbours.
    private func peak(_ sums: [Float]) -> (index: Int, offset: Double) {
        let count = sums.count
        var best = 0
        for bin in sums.indices where sums[bin] > sums[best] {
            best = bin
        }
        let fraction = parabolicPeak(
            sums[(best + count - 1) % count].squareRoot(), sums[best].squareRoot(),
            sums[(best + 1) % count].squareRoot())
        return (best, Double(best < count / 2 ? best : best - count) + Double(fraction))
    }

    /// The delay after which the most energy follows, weighted by an echo's decay.
    private func onset(bin: (index: Int, offset: Double), _ delayCount: Int, _ format: BasebandFormat) -> Double {
        let decay = Float.exp(-2 / Float(FrameAlignment.decaySeconds * Double(format.rateHertz)))
        var (best, bestSum) = (0, Float(0))
        for first in 0..<delayCount {
            var (sum, weight) = (Float(0), Float(1))
            for step in 0..<delayCount {
                let delay = (first + step) % delayCount
                sum += weight * powers[delay * FrameAlignment.transformLength + bin.index]
                weight *= decay
            }
            if sum > bestSum {
                (best, bestSum) = (first, sum)
            }
        }
        return Double(2 * best - delayCount)
    }
}
