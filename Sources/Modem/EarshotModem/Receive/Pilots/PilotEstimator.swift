import EarshotDSP
import RealModule

/// A tone in a stretch of baseband: a·e^{j2πfn}, n from the stretch's first sample.
struct PilotEstimate {
    /// f, in cycles a sample.
    var cyclesPerSample: Double
    /// a: the amplitude and the phase at the first sample.
    var amplitude: ComplexSample
    /// The mean over quanta of |z − a|², z a quantum's mean of x·e^{−j2πfn}.
    var powerLeft: Float
    /// Whether the tone sounds equally loud and in phase all the time.
    var isSteady: Bool
    /// Whether the residual may be another steady tone, no louder than this one.
    var mayBePair: Bool { powerLeft <= 1.3 * amplitude.power }
}

/// Estimates one tone in 17 quanta (0.18 s) of baseband.
///
///     z[k] = mean over quantum k of x[n]·e^{−j2πfn}        a = mean of z
///     f += Σₖ (k − 8)·Im(z[k]/a) / Σₖ (k − 8)² / (2πT)     until it converges
///
/// The search begins at the frequency where |a| is greatest. In noise of power σ² a sample, f reaches the Cramér-Rao bound:
/// for a tone of power P and N samples √(6·σ²/P/N³)/2π cycles a sample, 10⁻³ Hz at 37 dB. No allocation after `init`.
struct PilotEstimator: ~Copyable {
    static let quantumCount = 17
    /// N.
    static let sampleCount = quantumCount * BasebandFormat.quantum
    /// The amplitude of each quarter may differ from a by this share of |a|², and that of the quanta by the second
    /// share on average. Hopping tones are rarely in all quarters, each about a symbol of `far`, and in phase: in 420
    /// sounds of rooms and crowds of up to 12 the steadiest had 0.06 and 0.9, or 0.11 and 0.3. Of 60 pilots 2 dB above
    /// the noise in 1,500 Hz all had less than 0.05 and 0.06.
    private static let maximumQuarterError: Float = 0.06
    private static let maximumPowerLeft: Float = 0.25
    /// The search tries this many frequencies on either side of the given one, a 64th of a cycle in a quantum (1.5 Hz) apart.
    private static let searchReach = 23

    private var correlator = ToneCorrelator(length: sampleCount)
    private var mixed = [ComplexSample](repeating: ComplexSample(), count: sampleCount)
    private var means = [ComplexSample](repeating: ComplexSample(), count: quantumCount)

    /// The tone nearest to `cyclesPerSample`, within 34 Hz of it, in x; shape [sampleCount].
    mutating func fit(_ x: Span<ComplexSample>, near cyclesPerSample: Double) -> PilotEstimate {
        var frequency = measure(x, cyclesPerSample)
        var best: (power: Float, turns: Float) = (-1, 0)
        for step in -PilotEstimator.searchReach...PilotEstimator.searchReach {
            let turns = Float(step) / 64
            let power = meanTurned(by: turns).power
            if power > best.power { best = (power, turns) }
        }
        frequency = measure(x, frequency + Double(best.turns) / Double(BasebandFormat.quantum))
        return refine(frequency)
    }

    /// The tone at `cyclesPerSample`, a frequency that is known to about 1 Hz.
    mutating func refit(_ x: Span<ComplexSample>, at cyclesPerSample: Double) -> PilotEstimate {
        refine(measure(x, cyclesPerSample))
    }

    /// Computes z. The correlator is tuned in single precision; the result is the frequency that it is tuned to.
    private mutating func measure(_ x: Span<ComplexSample>, _ cyclesPerSample: Double) -> Double {
        let frequency = Float(cyclesPerSample)
        correlator.tune(cyclesPerSample: frequency)
        PilotEstimator.mix(correlator, x, into: &mixed)
        for quantum in 0..<PilotEstimator.quantumCount {
            var sum = ComplexSample()
            for n in quantum * BasebandFormat.quantum..<(quantum + 1) * BasebandFormat.quantum {
                sum += mixed[n]
            }
            means[quantum] = 1 / Float(BasebandFormat.quantum) * sum
        }
        return Double(frequency)
    }

    private static func mix(
        _ correlator: borrowing ToneCorrelator, _ x: Span<ComplexSample>, into mixed: inout [ComplexSample]
    ) {
        var space = mixed.mutableSpan
        correlator.mix(x, into: &space)
    }

    /// mean of z[k]·e^{−j2π·turns·k}.
    private func meanTurned(by turns: Float) -> ComplexSample {
        let step = unitPhasor(turns: -Double(turns))
        var (sum, phasor) = (ComplexSample(), ComplexSample(1, 0))
        for mean in means {
            sum += mean.times(phasor)
            phasor = phasor.times(step)
        }
        return 1 / Float(means.count) * sum
    }

    private mutating func refine(_ cyclesPerSample: Double) -> PilotEstimate {
        let middle = Float(PilotEstimator.quantumCount - 1) / 2
        // Σ (k − 8)².
        let spread =
            Float(PilotEstimator.quantumCount * (PilotEstimator.quantumCount * PilotEstimator.quantumCount - 1)) / 12
        var radians: Float = 0
        var amplitude = meanTurned(by: 0)
        for _ in 0..<3 {
            let inverse = 1 / max(amplitude.power, .leastNormalMagnitude) * amplitude.conjugate
            var slope: Float = 0
            for quantum in means.indices {
                slope += (Float(quantum) - middle) * means[quantum].times(inverse).y
            }
            let change = slope / spread
            radians += change
            // Turned about the middle, so that the amplitude's phase does not change.
            for quantum in means.indices {
                means[quantum] = means[quantum].times(unitPhasor(radians: -change * (Float(quantum) - middle)))
            }
            amplitude = meanTurned(by: 0)
        }
        let (powerLeft, isSteady) = judge(amplitude)
        // From the middle of the stretch back to its first sample.
        let angle = -radians * Float(PilotEstimator.sampleCount - 1) / 2 / Float(BasebandFormat.quantum)
        return PilotEstimate(
            cyclesPerSample: cyclesPerSample + Double(radians) / (2 * .pi) / Double(BasebandFormat.quantum),
            amplitude: amplitude.times(unitPhasor(radians: angle)), powerLeft: powerLeft,
            isSteady: isSteady)
    }

    private func judge(_ amplitude: ComplexSample) -> (powerLeft: Float, isSteady: Bool) {
        var powerLeft: Float = 0
        for mean in means {
            powerLeft += (mean - amplitude).power
        }
        powerLeft /= Float(means.count)
        var isSteady = amplitude.power.isNormal && powerLeft <= PilotEstimator.maximumPowerLeft * amplitude.power
        for quarter in 0..<4 {
            var sum = ComplexSample()
            for quantum in 4 * quarter..<4 * quarter + 4 {
                sum += means[quantum]
            }
            isSteady =
                isSteady
                && (0.25 * sum - amplitude).power <= PilotEstimator.maximumQuarterError * amplitude.power
        }
        return (powerLeft, isSteady)
    }
}
