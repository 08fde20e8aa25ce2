import EarshotDSP
import RealModule

/// Removes a loud swept tone from the baseband, such as that of an animal repeller, which passes through the band
/// repeatedly.
///
/// In blocks of N = 32 samples a swept tone is a chirp, a·e^{j2π(f·m + r·m²/2)}, m from the block's middle. With a lag of L = 8:
///
///     z[n] = x[n + L]·x*[n]                 turns by r·L per sample
///     w[n] = z[n + L]·z*[n]                 has the phase 2π·r·L² everywhere
///     C = |Σ w|/Σ |w|                       1 for a chirp alone
///
/// The mean of C is 0.36 for noise, of which 0.5 % has 0.8, and 0.87 for a chirp 10 dB above everything else (20,000
/// blocks each). A steady tone is a chirp with r = 0, and the tones of a frame hop. A sweep is a chain of blocks in
/// which C is high and f moves evenly, consistent with r: over at least four blocks and 300 Hz, or eight blocks and 75
/// Hz. The tones of `fast` would need four equal steps, and within its blocks r is 0 or C is low.
///
/// The rate of a block is then that between its neighbours. In the mixed-down block a polynomial of degree two, which
/// follows the edges of the converter's filter, is fitted and subtracted. A frame loses 3 of 32 dimensions where it
/// crosses the sweep.
///
/// Sweeps of 1 to 65 kHz/s are removed, one at a time. Above 70 kHz/s the phase of w turns over. Cost: 35,000
/// instructions per scan, 12 times a second and only while a spectrum has a loud bin, and 15,000 per removed block. No
/// allocation after `init`.
struct SweepCanceller: ~Copyable {
    /// N.
    private static let blockLength = BasebandFormat.quantum
    /// L.
    private static let lag = 8
    /// The blocks of a scan: those since the previous scan, and four before, in which a chain may have begun.
    private static let blockCount = 12
    /// The samples of a scan.
    static let sampleCount = blockCount * blockLength
    /// The minimum of C.
    private static let minimumCoherence: Float = 0.8
    private static let minimumChainCount = 4
    /// 300 Hz, in cycles a sample; 75 Hz for a chain of eight blocks, the number of new ones in a scan: seven steps of
    /// 10.7 Hz.
    private static let (minimumReach, minimumLongReach): (Float, Float) = (0.1, 0.025)
    private static let longChainCount = 8
    /// The maximum difference of a step of f from the chain's mean: 9 Hz plus a third of the mean.
    private static let maximumUnevenness: Float = 0.003
    /// The maximum difference of f from the prediction by r of two blocks: 60 Hz. r deviates by 2.1 kHz/s at 10 dB,
    /// which is 22 Hz per block.
    private static let maximumMiss: Float = 0.02

    /// A block as a chirp.
    private struct Chirp {
        /// C.
        var coherence: Float = 0
        /// f, in the block's middle, in cycles a sample.
        var frequency: Float = 0
        /// r, in cycles a sample².
        var rate: Float = 0
    }

    private var chirps = [Chirp](repeating: Chirp(), count: blockCount)
    private var products = [ComplexSample](repeating: ComplexSample(), count: blockLength)
    private var mixed = [ComplexSample](repeating: ComplexSample(), count: blockLength)
    /// Orthonormal polynomials of degree 0, 1 and 2; shape [3][N].
    private let polynomials: [Float]

    init() {
        let count = SweepCanceller.blockLength
        let m = (0..<count).map { Float($0) - Float(count - 1) / 2 }
        let meanSquare = m.reduce(0) { $0 + $1 * $1 } / Float(count)
        let rows = [m.map { _ in Float(1) }, m, m.map { $0 * $0 - meanSquare }]
        polynomials = rows.flatMap { row in
            let scale = 1 / row.reduce(0) { $0 + $1 * $1 }.squareRoot()
            return row.map { scale * $0 }
        }
    }

    /// Looks for sweeps in the latest 12 blocks and removes them there.
    /// - Returns: the index from which the history has changed; nil if there was no sweep.
    mutating func clean(_ history: BasebandHistory) -> Int? {
        let first = history.endIndex - SweepCanceller.sampleCount
        guard first >= history.lostEndIndex, first >= 0 else { return nil }
        history.withSamples(from: first, count: SweepCanceller.sampleCount) { measure($0) }
        var changedIndex: Int?
        var begin = 0
        while begin < SweepCanceller.blockCount {
            let end = endOfChain(from: begin)
            if isSweep(begin..<end) {
                changedIndex = changedIndex ?? first + begin * SweepCanceller.blockLength
                for block in begin..<end {
                    let rate = rate(block, in: begin..<end)
                    let start = first + block * SweepCanceller.blockLength
                    history.change(from: start, count: SweepCanceller.blockLength) { remove(&$0, block, rate) }
                }
            }
            begin = max(end, begin + 1)
        }
        return changedIndex
    }

    private mutating func measure(_ x: Span<ComplexSample>) {
        let length = SweepCanceller.blockLength
        for block in chirps.indices {
            chirps[block] = chirp(x.extracting(block * length..<(block + 1) * length))
        }
    }

    private mutating func chirp(_ x: Span<ComplexSample>) -> Chirp {
        let (length, lag) = (SweepCanceller.blockLength, SweepCanceller.lag)
        for n in 0..<length - lag { products[n] = x[n + lag].times(x[n].conjugate) }
        var (sum, size) = (ComplexSample(), Float(0))
        for n in 0..<length - 2 * lag {
            let w = products[n + lag].times(products[n].conjugate)
            sum += w
            size += w.power.squareRoot()
        }
        guard size.isNormal else { return Chirp() }
        let coherence = sum.power.squareRoot() / size
        guard coherence >= SweepCanceller.minimumCoherence else { return Chirp() }
        let rate = turns(sum) / Float(lag * lag)
        return Chirp(coherence: coherence, frequency: frequency(x, rate: rate), rate: rate)
    }

    /// f of a chirp with a known rate: first from neighbours, then with the lag, whose phase is more precise.
    private mutating func frequency(_ x: Span<ComplexSample>, rate: Float) -> Float {
        let (length, lag) = (SweepCanceller.blockLength, SweepCanceller.lag)
        mix(x, frequency: 0, rate: rate)
        var (next, far) = (ComplexSample(), ComplexSample())
        for n in 0..<length - 1 { next += mixed[n + 1].times(mixed[n].conjugate) }
        for n in 0..<length - lag { far += mixed[n + lag].times(mixed[n].conjugate) }
        let coarse = turns(next)
        let missing = turns(far) - Float(lag) * coarse
        return coarse + (missing - missing.rounded()) / Float(lag)
    }

    /// Turns x back by the phase of a chirp, into `mixed`.
    private mutating func mix(_ x: Span<ComplexSample>, frequency: Float, rate: Float) {
        let middle = Float(SweepCanceller.blockLength - 1) / 2
        for n in x.indices {
            mixed[n] = x[n].times(phasor(Float(n) - middle, frequency, rate).conjugate)
        }
    }

    /// e^{j2π(f·m + r·m²/2)}.
    private func phasor(_ m: Float, _ frequency: Float, _ rate: Float) -> ComplexSample {
        let turns = m * (frequency + rate * m / 2)
        return unitPhasor(radians: 2 * .pi * (turns - turns.rounded()))
    }

    /// The angle of z, in turns.
    private func turns(_ z: ComplexSample) -> Float { Float.atan2(y: z.y, x: z.x) / (2 * .pi) }

    /// The block after the last of a chain, in which f moves from block to block as their rates predict.
    private func endOfChain(from begin: Int) -> Int {
        guard chirps[begin].coherence > 0 else { return begin }
        var end = begin + 1
        while end < chirps.count, chirps[end].coherence > 0,
            abs(step(from: end - 1, to: end) - expectedStep(from: end - 1, to: end)) <= SweepCanceller.maximumMiss
        {
            end += 1
        }
        return end
    }

    /// The step of f from a block to the next, predicted by their rates.
    private func expectedStep(from block: Int, to next: Int) -> Float {
        (chirps[block].rate + chirps[next].rate) / 2 * Float(SweepCanceller.blockLength)
    }

    /// The step of f from a block to the next. f is known up to whole turns, so this is the step nearest to the
    /// expected one.
    private func step(from block: Int, to next: Int) -> Float {
        let step = chirps[next].frequency - chirps[block].frequency
        return step - (step - expectedStep(from: block, to: next)).rounded()
    }

    private func isSweep(_ chain: Range<Int>) -> Bool {
        guard chain.count >= SweepCanceller.minimumChainCount else { return false }
        var reach: Float = 0
        for block in chain.dropFirst() { reach += step(from: block - 1, to: block) }
        let isLong = chain.count >= SweepCanceller.longChainCount
        guard abs(reach) >= (isLong ? SweepCanceller.minimumLongReach : SweepCanceller.minimumReach) else {
            return false
        }
        let mean = reach / Float(chain.count - 1)
        for block in chain.dropFirst() {
            let deviation = step(from: block - 1, to: block) - mean
            guard abs(deviation) <= SweepCanceller.maximumUnevenness + abs(mean) / 3 else { return false }
        }
        return chain.allSatisfy { rate($0, in: chain) * reach > 0 }
    }

    /// The rate between the neighbours of a block in its chain.
    private func rate(_ block: Int, in chain: Range<Int>) -> Float {
        let first = max(block - 1, chain.lowerBound)
        let last = min(block + 1, chain.upperBound - 1)
        var reach: Float = 0
        for next in first + 1...last { reach += step(from: next - 1, to: next) }
        return reach / Float((last - first) * SweepCanceller.blockLength)
    }

    private mutating func remove(_ x: inout MutableSpan<ComplexSample>, _ block: Int, _ rate: Float) {
        let (length, frequency) = (SweepCanceller.blockLength, chirps[block].frequency)
        let middle = Float(length - 1) / 2
        mix(x.span, frequency: frequency, rate: rate)
        var coefficients = (ComplexSample(), ComplexSample(), ComplexSample())
        for n in 0..<length {
            coefficients.0 += polynomials[n] * mixed[n]
            coefficients.1 += polynomials[length + n] * mixed[n]
            coefficients.2 += polynomials[2 * length + n] * mixed[n]
        }
        for n in 0..<length {
            let fitted =
                polynomials[n] * coefficients.0 + polynomials[length + n] * coefficients.1
                + polynomials[2 * length + n] * coefficients.2
            x[n] -= fitted.times(phasor(Float(n) - middle, frequency, rate))
        }
    }
}
