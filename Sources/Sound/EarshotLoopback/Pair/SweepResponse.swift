import EarshotDSP
import RealModule

/// The effect of a path on a sweep: the power of its frequency response.
///
///     H = W·R·X* / (|X|² + 10⁻³·max|X|²)          R, X: spectra of what was received and sent, W: the measured band
///     h = g·F⁻¹{H}                                g: from 10 ms before the strongest arrival (or the first) to 50 ms after it
///     P[b] = mean over bin b of |F{h}|² − S·Σg²/|X|²
///
/// Dividing the spectra compresses the sweep into the path's impulse response. The gate g keeps the part that arrives
/// within a symbol of the slowest profile, with 1/25 of the noise: 14 dB. The remaining noise follows from S, measured
/// in the quiet part, and is subtracted.
struct SweepResponse {
    static let leadSeconds = 0.01
    static let tailSeconds = 0.05
    /// The gate's ends are raised cosines this long.
    static let fadeSeconds = 0.002

    /// The power of the response at bins of 50 Hz, noise subtracted; may be below zero if there is only noise.
    let powers: [Double]
    /// The noise power that was subtracted from each.
    let noisePowers: [Double]

    /// - Parameter noise: the density of the quiet part.
    init(_ recording: [Float], sweep: Sweep, arrival: SweepArrival, noise: PowerDensity, bins: [Range<Double>]) {
        let rate = Double(sweep.sampleRateHertz)
        let lead = Int(SweepResponse.leadSeconds * rate)
        let span = min(max(arrival.strongestSample - arrival.firstSample, 0), SweepDetector.echoSeconds * rate)
        let gateCount = lead + Int(span) + Int(SweepResponse.tailSeconds * rate)
        let start = Int(max(arrival.strongestSample - span, -1e9)) - lead
        var length = 2
        while length < sweep.samples.count + gateCount { length *= 2 }
        var plan = FFTPlan(length: length)

        let sent = plan.spectrum { ComplexSample($0 < sweep.samples.count ? sweep.samples[$0] : 0, 0) }
        let received = plan.spectrum { n in
            let place = start + n
            let isPart = n < sweep.samples.count + gateCount && recording.indices.contains(place)
            return ComplexSample(isPart ? recording[place].usable : 0, 0)
        }
        let binHertz = rate / Double(length)
        let strongest = sent.reduce(0) { max($0, $1.power) }
        // Zeros outside the band, and positive frequencies only: h is complex, and F{h} is H there.
        let impulse = plan.samples { k in
            let weight = SweepResponse.bandWeight(Double(k) * binHertz, sweep: sweep)
            guard k <= length / 2, weight > 0 else { return ComplexSample() }
            let ratio = received[k].times(sent[k].conjugate) / (sent[k].power + 1e-3 * strongest)
            return Float(weight) * ratio
        }
        var gateEnergy = 0.0
        let gated = plan.spectrum { n in
            guard n < gateCount else { return ComplexSample() }
            let gain = SweepResponse.gateGain(n, count: gateCount, fade: Int(SweepResponse.fadeSeconds * rate))
            gateEnergy += gain * gain
            return Float(gain / Double(length)) * impulse[n]
        }
        var (powers, noisePowers) = ([Double](), [Double]())
        for bin in bins {
            let range = Int((bin.lowerBound / binHertz).rounded(.up))..<Int((bin.upperBound / binHertz).rounded(.up))
            let power = range.reduce(0) { $0 + Double(gated[$1].power) } / Double(range.count)
            let sentPower = range.reduce(0) { $0 + Double(sent[$1].power) } / Double(range.count)
            let noisePower = noise.mean(bin) * gateEnergy / sentPower
            powers.append(power - noisePower)
            noisePowers.append(noisePower)
        }
        self.powers = powers
        self.noisePowers = noisePowers
    }

    /// W: 1 where the response is measured, 0 beyond the sweep, and a raised cosine between.
    private static func bandWeight(_ hertz: Double, sweep: Sweep) -> Double {
        let inside = min(hertz - Sweep.lowestHertz, sweep.highestHertz - hertz) / Sweep.marginHertz
        return 0.5 * (1 - .cos(.pi * min(max(inside, 0), 1)))
    }

    /// g.
    private static func gateGain(_ n: Int, count: Int, fade: Int) -> Double {
        let inside = (Double(min(n, count - 1 - n)) + 0.5) / Double(max(fade, 1))
        return 0.5 * (1 - .cos(.pi * min(inside, 1)))
    }
}

extension FFTPlan {
    /// X of x; shape [length].
    mutating func spectrum(of x: (Int) -> ComplexSample) -> [ComplexSample] {
        withMutableSamples { samples in
            for n in samples.indices {
                samples[n] = x(n)
            }
        }
        forward()
        var spectrum = [ComplexSample](repeating: ComplexSample(), count: length)
        copySpectrum(into: &spectrum)
        return spectrum
    }

    /// N·x of X; shape [length].
    mutating func samples(of spectrum: (Int) -> ComplexSample) -> [ComplexSample] {
        withMutableSpectrum { points in
            for k in points.indices {
                points[k] = spectrum(k)
            }
        }
        inverse()
        var samples = [ComplexSample](repeating: ComplexSample(), count: length)
        copySamples(0..<length, into: &samples)
        return samples
    }
}
