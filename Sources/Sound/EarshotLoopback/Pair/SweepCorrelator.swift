import EarshotDSP
import RealModule

/// The filter matched to a sweep, over a recording of any length: the power of its envelope.
///
///     p[m] = |Σₙ r[n + D·m]·s*[n]|² / (Σₙ h[n])²,   s[n] = h[n]·e^{jφ[n]},   0 ≤ D·m ≤ R − L
///
/// φ is the sweep's phase and h Hann's window, which costs 1.8 dB and keeps the side lobes below 31 dB, so that a side
/// lobe is not mistaken for an echo. A sweep of amplitude 1 gives p = 1/4. By overlap-save: N points of input become
/// N/D of output, because only the bins of the sweep are transformed back; D leaves 1.5 times the sweep's bandwidth.
/// Two blocks share one transform forward, one in its real part and one in its imaginary part. Cost: 5 minutes at 48
/// kHz take 0.5 s.
struct SweepCorrelator: ~Copyable {
    /// L.
    let sweepCount: Int
    /// D: samples from one p to the next.
    let step: Int

    private let binCount: Int
    private let firstBin: Int
    private let response: [ComplexSample]
    private var long: FFTPlan
    private var short: FFTPlan

    init(_ sweep: Sweep) {
        let count = sweep.samples.count
        let rate = Double(sweep.sampleRateHertz)
        var length = 2
        while length < 3 * count { length *= 2 }
        var step = 1
        while rate / Double(2 * step) >= 1.5 * (sweep.highestHertz - Sweep.lowestHertz) { step *= 2 }
        sweepCount = count
        self.step = step
        long = FFTPlan(length: length)
        short = FFTPlan(length: length / step)
        let binHertz = rate / Double(length)
        firstBin = Int(Sweep.lowestHertz / binHertz)
        binCount = Int(sweep.highestHertz / binHertz) + 1 - firstBin

        let highest = sweep.highestHertz
        var sum = 0.0
        let window = hannWindow(count: count)
        long.withMutableSamples { input in
            for n in 0..<count {
                let phase = 2 * Double.pi * Sweep.turns(Double(n) / rate, highestHertz: highest)
                input[n] = ComplexSample(Float(window[n] * .cos(phase)), Float(window[n] * .sin(phase)))
                sum += window[n]
            }
        }
        long.forward()
        var response: [ComplexSample] = []
        let (firstBin, binCount, scale) = (firstBin, binCount, Float(1 / (sum * Double(length))))
        long.withSpectrum { spectrum in
            response = (firstBin..<firstBin + binCount).map { scale * spectrum[$0].conjugate }
        }
        self.response = response
    }

    /// p of a part of a recording; empty if the part is shorter than the sweep. Samples that are not finite count as zero, and those
    /// beyond ±100 are limited.
    mutating func envelopePowers(_ recording: [Float], in range: Range<Int>) -> [Float] {
        let lagCount = range.count - sweepCount + 1
        guard lagCount > 0 else { return [] }
        var powers = [Float](repeating: 0, count: (lagCount + step - 1) / step)
        // A multiple of D, so that blocks join.
        let lagsPerBlock = (long.length - sweepCount + 1) / step * step
        for first in stride(from: 0, to: lagCount, by: 2 * lagsPerBlock) {
            load(recording, in: range, at: range.lowerBound + first, second: range.lowerBound + first + lagsPerBlock)
            long.forward()
            for half in 0..<2 {
                let start = first + half * lagsPerBlock
                guard start < lagCount else { break }
                filter(half: half)
                short.inverse()
                let place = start / step
                let count = min(lagsPerBlock / step, powers.count - place)
                short.withSamples { output in
                    for m in 0..<count {
                        powers[place + m] = output[m].power
                    }
                }
            }
        }
        return powers
    }

    /// Two blocks of input, as real and imaginary parts.
    private mutating func load(_ recording: [Float], in range: Range<Int>, at first: Int, second: Int) {
        let end = range.upperBound
        long.withMutableSamples { input in
            for n in input.indices {
                input[n] = ComplexSample(
                    first + n < end ? recording[first + n].usable : 0,
                    second + n < end ? recording[second + n].usable : 0)
            }
        }
    }

    /// The spectrum of one of the two blocks, A = (Z[k] + Z*[N − k])/2 or B = (Z[k] − Z*[N − k])/2j, times the filter's.
    private mutating func filter(half: Int) {
        let (length, firstBin, binCount, response) = (long.length, firstBin, binCount, response)
        short.withMutableSpectrum { product in
            long.withSpectrum { z in
                for i in 0..<binCount {
                    let (k, mirrored) = (firstBin + i, z[length - firstBin - i].conjugate)
                    let twice = half == 0 ? z[k] + mirrored : z[k] - mirrored
                    product[i] = (0.5 * twice).times(response[i])
                }
            }
        }
    }
}

extension Float {
    /// The sample, limited to ±100; 0 if it is not a number.
    var usable: Float {
        isFinite ? Swift.min(Swift.max(self, -100), 100) : 0
    }
}
