import EarshotDSP
import RealModule

/// Tracks a steady tone: a complex amplitude a on a phasor.
///
///     y[n] = x[n] − a·p[n],   p[n + 1] = p[n]·e^{j2πf}
///
/// Once a quantum the residual at the tone's frequency, e = mean of y·p*, corrects the estimate. With u = e/a, T the quantum's
/// samples, and n the number of quanta so far, at most 32 (0.34 s):
///
///     |a| += |a|·Re(u)/n     arg a += (4n − 2)/(n(n + 1))·Im(u)     f += 6/(n(n + 1))·Im(u)/(2πT)
///
/// fits a straight line through the latest n phases. |e| is limited to three times its usual size, so that the tracker
/// neither learns nor removes a hopping tone that has this frequency for a symbol. In noise of power σ² a sample the
/// residual of the tone is about 5/2·σ²/(nT): 0.16 of the noise in a symbol of `standard`. A tone that drifts by 0.5
/// Hz/s stays 24 dB down.
struct PilotTracker {
    /// The maximum of n.
    static let maximumMemory: Float = 32
    /// The limit of |e| over its usual size.
    static let surprise: Float = 3
    /// The powers with and without the tone are compared over this many quanta. A tone that stops is released 4 quanta later.
    static let comparedQuanta: Float = 8
    /// The maximum residual power over the power without removal.
    static let maximumShareLeft: Float = 0.5

    /// f, in cycles a sample.
    private(set) var cyclesPerSample: Double
    /// a.
    private(set) var amplitude: ComplexSample
    /// The angle of p at the quantum's first sample, in turns.
    private var turns: Double
    private var memory: Float
    /// The usual |e|².
    private var usualPower: Float
    private var powerWith: Float = 0
    private var powerWithout: Float
    private var place = 0
    private var heldCount: Float = 0
    private var sum = ComplexSample()
    private var phasor: ComplexSample
    private var step: ComplexSample

    /// Tracks a tone that was found in the `sampleCount` samples before the next one, which is a quantum's first.
    init(_ estimate: PilotEstimate, sampleCount: Int) {
        cyclesPerSample = estimate.cyclesPerSample
        amplitude = estimate.amplitude
        turns = cyclesPerSample * Double(sampleCount)
        memory = Float(sampleCount / BasebandFormat.quantum)
        usualPower = estimate.powerLeft
        powerWithout = amplitude.power
        phasor = unitPhasor(turns: turns)
        step = unitPhasor(turns: cyclesPerSample)
    }

    /// Whether removing the tone reduces the power enough.
    var isThere: Bool { powerWith <= PilotTracker.maximumShareLeft * powerWithout && amplitude.power.isNormal }

    /// Removes the tone from the next samples, all of one quantum; `listen` is called with them next.
    func remove(from x: inout MutableSpan<ComplexSample>) {
        var phasor = phasor
        for n in x.indices {
            x[n] -= amplitude.times(phasor)
            phasor = phasor.times(step)
        }
    }

    /// Measures the residual in samples from which all tones are removed.
    mutating func listen(to y: Span<ComplexSample>) {
        var (phasor, sum) = (phasor, sum)
        for n in y.indices {
            sum += y[n].times(phasor.conjugate)
            phasor = phasor.times(step)
        }
        (self.phasor, self.sum) = (phasor, sum)
        place += y.count
        heldCount += Float(y.count)
    }

    /// Records that the next samples, all of one quantum, were lost.
    mutating func skip(_ count: Int) {
        place += count
        phasor = unitPhasor(turns: turns + cyclesPerSample * Double(place))
    }

    /// At a quantum's end: learns from the residual, unless half of the quantum was lost.
    mutating func finishQuantum() {
        turns += cyclesPerSample * Double(place)
        turns -= turns.rounded()
        if heldCount > Float(place) / 2 {
            learn(1 / heldCount * sum)
        }
        place = 0
        heldCount = 0
        sum = ComplexSample()
        phasor = unitPhasor(turns: turns)
        step = unitPhasor(turns: cyclesPerSample)
    }

    private mutating func learn(_ left: ComplexSample) {
        let power = left.power
        powerWith += (power - powerWith) / PilotTracker.comparedQuanta
        powerWithout += ((left + amplitude).power - powerWithout) / PilotTracker.comparedQuanta
        let limit = PilotTracker.surprise * PilotTracker.surprise * usualPower
        usualPower += (min(power, limit) - usualPower) / 16
        let scale = (power > limit ? (limit / power).squareRoot() : 1) / max(amplitude.power, .leastNormalMagnitude)
        // u = e·a*/|a|², limited, because a noisy start may exaggerate it.
        let u = (scale * left.times(amplitude.conjugate))
            .clamped(lowerBound: ComplexSample(repeating: -0.5), upperBound: ComplexSample(repeating: 0.5))
        memory = min(memory + 1, PilotTracker.maximumMemory)
        let n = memory
        amplitude += amplitude.times(ComplexSample(u.x / n, (4 * n - 2) / (n * (n + 1)) * u.y))
        cyclesPerSample += Double(6 / (n * (n + 1)) * u.y / (2 * .pi * Float(BasebandFormat.quantum)))
    }

    /// Adds the tone with its current estimate to the samples that end at its current place: reverses a removal.
    func restore(to x: inout MutableSpan<ComplexSample>) {
        add(amplitude, to: &x)
    }

    /// Removes the tone with its current estimate from the samples that end at its current place.
    func removeBackwards(from x: inout MutableSpan<ComplexSample>) {
        add(-amplitude, to: &x)
    }

    private func add(_ amplitude: ComplexSample, to x: inout MutableSpan<ComplexSample>) {
        var wave = amplitude.times(unitPhasor(turns: turns - cyclesPerSample * Double(x.count)))
        for n in x.indices {
            x[n] += wave
            wave = wave.times(step)
        }
    }
}
