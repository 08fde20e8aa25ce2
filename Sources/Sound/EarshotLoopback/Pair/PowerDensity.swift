import EarshotDSP
import RealModule

/// Power density of noise, by Welch's method.
///
///     S[k] = mean over segments of |Σₙ w[n]·x[n]·e^{−j2πkn/N}|² / Σ w²,   N = F/25,   k = 0 ... N/2
///
/// Hann's window w, segments overlapping by half. White noise of variance σ² has S = σ². A second has 49 segments, which count
/// as 46 independent ones, so each S is known to 15 % and the mean over 1,500 Hz to 2 %, 0.1 dB.
///
/// Source: Welch, The use of fast Fourier transform for the estimation of power spectra, 1967.
struct PowerDensity {
    /// Hertz from bin to bin.
    static let binHertz = 25.0

    /// S.
    let densities: [Double]

    /// Samples of one segment.
    static func segmentCount(sampleRateHertz: Int) -> Int { Int(Double(sampleRateHertz) / binHertz) }

    /// The density of a range of a recording, at least one segment long.
    init(_ recording: [Float], in range: Range<Int>, sampleRateHertz: Int) {
        let count = PowerDensity.segmentCount(sampleRateHertz: sampleRateHertz)
        precondition(range.count >= count, "\(range.count) samples, less than a segment of \(count)")
        let window = hannWindow(count: count)
        let energy = window.reduce(0) { $0 + $1 * $1 }
        var plan = FFTPlan(length: count)
        var densities = [Double](repeating: 0, count: count / 2 + 1)
        var segments = 0
        for first in stride(from: range.lowerBound, through: range.upperBound - count, by: count / 2) {
            plan.withMutableSamples { input in
                for n in 0..<count {
                    input[n] = ComplexSample(Float(window[n]) * recording[first + n].usable, 0)
                }
            }
            plan.forward()
            plan.withSpectrum { spectrum in
                for k in densities.indices {
                    densities[k] += Double(spectrum[k].power)
                }
            }
            segments += 1
        }
        self.densities = densities.map { $0 / (energy * Double(segments)) }
    }

    /// The mean of S from one frequency up to another.
    func mean(_ hertz: Range<Double>) -> Double {
        let first = Int((hertz.lowerBound / PowerDensity.binHertz).rounded(.up))
        let end = Int((hertz.upperBound / PowerDensity.binHertz).rounded(.up))
        let bins = (first..<end).clamped(to: densities.indices)
        return densities[bins].reduce(0, +) / Double(max(bins.count, 1))
    }
}
