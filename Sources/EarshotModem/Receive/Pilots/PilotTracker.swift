import EarshotDSP
import RealModule

/// A steady tone that is known and followed: a complex amplitude a on a phasor.
///
///     y[n] = x[n] − a·p[n],   p[n + 1] = p[n]·e^{j2πf}
///
/// Once a quantum what is left at the tone's frequency, e = mean of y·p*, moves it. With u = e/a, T the quantum's samples, and
/// n the quanta that have been listened to, at most 32 (0.34 s):
///
///     |a| += |a|·Re(u)/n     arg a += (4n − 2)/(n(n + 1))·Im(u)     f += 6/(n(n + 1))·Im(u)/(2πT)
///
/// the straight line through the latest n phases. |e| is limited to three times what it usually is: a hopping tone that meets
/// this frequency for a symbol is not learned, and nothing of it is taken away. In noise σ² a sample what is left of the tone
/// is about 5/2·σ²/(nT): 0.16 of the noise in a symbol of `standard`. A tone that moves by 0.5 Hz/s stays 24 dB down.
struct PilotTracker {
    /// The largest n.
    static let maximumMemory: Float = 32
    /// e is limited to so many times its usual size.
    static let surprise: Float = 3
    /// Powers with and without the tone are compared over so many quanta. Where it stops it is let go 4 quanta later.
    static let comparedQuanta: Float = 8
    /// What is left may have this share of the power that would be there without removal.
    static let maximumShareLeft: Float = 0.5

    /// f in cycles a sample.
    private(set) var cyclesPerSample: Double
    /// a.
    private(set) var amplitude: ComplexSample
    /// p's angle at the quantum's first sample.
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

    /// A tone that was found in the `sampleCount` samples before the next one, which is a quantum's first.
    init(_ estimate: PilotEstimate, sampleCount: Int) {
        cyclesPerSample = estimate.cyclesPerSample
        amplitude = estimate.amplitude
        turns = cyclesPerSample * Double(sampleCount)
        memory = Float(sampleCount / BasebandInput.quantum)
        usualPower = estimate.powerLeft
        powerWithout = amplitude.power
        phasor = unitPhasor(turns: turns)
        step = unitPhasor(turns: cyclesPerSample)
    }

    /// Whether taking it away leaves less than leaving it there.
    var isThere: Bool { powerWith <= PilotTracker.maximumShareLeft * powerWithout && amplitude.power.isNormal }

    /// Takes the tone out of the next samples, all of one quantum; `listen` to them is next.
    func remove(from x: inout MutableSpan<ComplexSample>) {
        var phasor = phasor
        for n in x.indices {
            x[n] -= amplitude.times(phasor)
            phasor = phasor.times(step)
        }
    }

    /// Hears what is left of the samples when all tones are removed.
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

    /// The next samples, all of one quantum, were lost.
    mutating func skip(_ count: Int) {
        place += count
        phasor = unitPhasor(turns: turns + cyclesPerSample * Double(place))
    }

    /// At a quantum's end: learns from what is left, unless half of it was lost.
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
        // u = e·a*/|a|², of which a noisy start may make too much.
        let u = (scale * left.times(amplitude.conjugate))
            .clamped(lowerBound: ComplexSample(repeating: -0.5), upperBound: ComplexSample(repeating: 0.5))
        memory = min(memory + 1, PilotTracker.maximumMemory)
        let n = memory
        amplitude += amplitude.times(ComplexSample(u.x / n, (4 * n - 2) / (n * (n + 1)) * u.y))
        cyclesPerSample += Double(6 / (n * (n + 1)) * u.y / (2 * .pi * Float(BasebandInput.quantum)))
    }

    /// Adds the tone, as it is now, to the samples that end where it stands: undoes a removal.
    func restore(to x: inout MutableSpan<ComplexSample>) {
        add(amplitude, to: &x)
    }

    /// Takes the tone, as it is now, out of the samples that end where it stands.
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
