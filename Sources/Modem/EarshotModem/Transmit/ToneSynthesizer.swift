import RealModule

/// Synthesizes tones with continuous phase, constant envelope and smoothed steps.
///
///     f(t) = f₀ + Σₖ (fₖ − fₖ₋₁)·Φ((t − k·T)/σ)        Φ: the normal distribution's integral, σ = T/24
///     x[n] = a(n/F)·cos(2π·∫₀ f), from 0 to n/F           a: raised-cosine ramps at both ends
///
/// Because only one tone sounds at a time, the crest factor is 3 dB; smoothed steps and ramps keep the audible part 75
/// dB down. The synthesizer uses double precision, because it takes little time. Cost: about 30 ns a sample.
struct ToneSynthesizer {
    let toneHertz: [Double]
    let symbolSeconds: Double
    let stepDeviationSeconds: Double
    let rampSeconds: Double
    let sampleRateHertz: Double

    /// The number of samples in the frame: the first at its start, the last less than one sample before its end.
    var sampleCount: Int {
        Int((Double(toneHertz.count) * symbolSeconds * sampleRateHertz).rounded(.up))
    }

    /// The frame with amplitude 1; shape [sampleCount].
    func samples() -> [Float] {
        let frameSeconds = Double(toneHertz.count) * symbolSeconds
        var samples: [Float] = []
        samples.reserveCapacity(sampleCount)
        var turns = 0.0
        for n in 0..<sampleCount {
            let seconds = Double(n) / sampleRateHertz
            samples.append(Float(ramp(seconds, frameSeconds: frameSeconds) * .cos(2 * .pi * turns)))
            // By the midpoint rule: a step takes 60 samples and more, so this is the integral to five digits.
            turns += instantaneousHertz(seconds + 0.5 / sampleRateHertz) / sampleRateHertz
            turns -= turns.rounded(.down)
        }
        return samples
    }

    /// f(t). Only the nearest step counts: the others are at least 12σ away.
    private func instantaneousHertz(_ seconds: Double) -> Double {
        let nearest = Int((seconds / symbolSeconds).rounded())
        let before = toneHertz[max(nearest - 1, 0)]
        let after = toneHertz[min(nearest, toneHertz.count - 1)]
        guard stepDeviationSeconds > 0, before != after else {
            return seconds < Double(nearest) * symbolSeconds ? before : after
        }
        let deviations = (seconds - Double(nearest) * symbolSeconds) / stepDeviationSeconds
        return before + (after - before) * 0.5 * (1 + .erf(deviations / 2.0.squareRoot()))
    }

    /// a(t), 0 ... 1.
    private func ramp(_ seconds: Double, frameSeconds: Double) -> Double {
        let inside = min(seconds, frameSeconds - seconds)
        return inside >= rampSeconds ? 1 : 0.5 * (1 - .cos(.pi * max(inside, 0) / rampSeconds))
    }
}
