import EarshotCoding
import EarshotDSP
import RealModule

/// A frame in the baseband, alone, undamped and without echoes.
///
///     r[n] = a(u)·e^{j2π·(φ(u) + f·(n − s)/F)},   u = (n − s)·(1 + f/centre)
///     φ(u) = k/2 + (mₖ − M/2 + ½)·v/N + (mₖ − mₖ₋₁)·c(v) or (mₖ₊₁ − mₖ)·c(N − v),   v = u − k·N
///
/// s is the start, f the offset, which carrier and symbol clock share, N the samples a symbol, a the ramps of
/// `ToneSynthesizer`. A symbol turns the phase by an odd number of half turns, whatever its tone, hence k/2. A smoothed
/// step adds the same to the phase of a sudden one on both its sides:
///
///     c(v) = σ·(φₙ(z) − z·(1 − Φ(z))),   z = v/(σ·N)          φₙ, Φ: the normal density and its integral
///
/// No allocation after `init`.
struct FrameReplica: ~Copyable {
    /// The extent of a step in standard deviations: there c is 10⁻⁷.
    private static let reachDeviations = 5.0
    private static let tableCount = 512

    /// r; undefined after `sampleCount`.
    private(set) var samples: [ComplexSample]
    /// The baseband index of r[0].
    private(set) var firstIndex = 0
    /// The number of samples in the frame.
    private(set) var sampleCount = 0
    private var turns: [Float]
    private let stepTable: [Float]
    /// σ, in symbols.
    private let stepDeviation: Double

    /// A replica with room for the longest frame of these profiles.
    init(profiles: [Profile]) {
        let longestSymbol = BasebandFormat.longestSymbol(profiles)
        let capacity = (FrameLayout.longest.toneCount + 1) * longestSymbol
        samples = [ComplexSample](repeating: ComplexSample(), count: capacity)
        turns = [Float](repeating: 0, count: capacity)
        stepDeviation = profiles[0].stepDeviationSymbols
        precondition(
            profiles.allSatisfy { $0.stepDeviationSymbols == profiles[0].stepDeviationSymbols },
            "profiles of one receiver share the smoothness of their steps")
        let sigma = stepDeviation
        stepTable = (0...FrameReplica.tableCount + 1).map { index in
            let z = FrameReplica.reachDeviations * Double(index) / Double(FrameReplica.tableCount)
            let density = .exp(-z * z / 2) / (2 * Double.pi).squareRoot()
            let tail = 0.5 * (1 - Double.erf(z / 2.0.squareRoot()))
            return Float(sigma * (density - z * tail))
        }
    }

    /// Computes the replica of a frame.
    /// - Parameters:
    ///   - tones: the tone of every symbol; shape [symbolCount or more].
    ///   - symbolCount: the number of symbols in the frame.
    ///   - format: the profile in the baseband.
    ///   - start: s, a baseband index.
    ///   - offsetHertz: f.
    mutating func make(
        _ tones: [Int], symbolCount: Int, _ format: BasebandFormat, start: Double, offsetHertz: Double
    ) {
        let profile = format.profile
        let stretch = 1 + offsetHertz / profile.centreHertz
        let length = Double(format.samplesPerSymbol)
        firstIndex = Int(start.rounded(.up))
        let end = start + Double(symbolCount) * length / stretch
        sampleCount = min(Int(end.rounded(.up)) - firstIndex, samples.count)
        let offsetTurns = offsetHertz / Double(format.rateHertz)
        var first = 0
        for symbol in 0..<symbolCount {
            // This symbol's samples: u from symbol·N to below (symbol + 1)·N.
            let symbolStart = start + Double(symbol) * length / stretch
            let next = start + Double(symbol + 1) * length / stretch
            let last = symbol == symbolCount - 1 ? sampleCount : min(Int(next.rounded(.up)) - firstIndex, sampleCount)
            guard first < last else { continue }
            let tone = Double(tones[symbol] - profile.toneCount / 2) + 0.5
            let inside = Double(firstIndex + first) - symbolStart
            let base = 0.5 * Double(symbol & 1) + offsetTurns * (symbolStart - start) + offsetTurns * inside
            let symbolTurns = base - base.rounded() + tone * inside * stretch / length
            let advance = Float(tone * stretch / length + offsetTurns)
            var line = turns.mutableSpan
            for index in first..<last {
                line[index] = Float(symbolTurns) + Float(index - first) * advance
            }
            if symbol > 0 {
                smooth(
                    first..<last, by: tones[symbol] - tones[symbol - 1], from: inside * stretch / length,
                    stretch / length)
            }
            if symbol < symbolCount - 1 {
                let tillEnd = (next - Double(firstIndex + first)) * stretch / length
                smooth(first..<last, by: tones[symbol + 1] - tones[symbol], from: tillEnd, -stretch / length)
            }
            first = last
        }
        rotate()
        ramp(start: start, end: end, stretch: stretch, rampCount: profile.rampSeconds * Double(format.rateHertz))
    }

    /// Copies r[range] into a transform, with zeros outside the frame and after the range.
    borrowing func load(_ range: Range<Int>, into plan: inout FFTPlan) {
        plan.load(samples.span.extracting(0..<sampleCount), range)
    }

    /// Turns the phase of each sample by `turnsPerSample` more than that of the previous one; the middle sample does
    /// not change.
    mutating func shift(turnsPerSample: Double) {
        let count = sampleCount
        let middle = Double(count / 2)
        var line = turns.mutableSpan
        for index in 0..<count {
            line[index] = Float(turnsPerSample * (Double(index) - middle))
        }
        multiplyByTurns()
    }

    /// Adds the difference of a smoothed step and a sudden one to the phases.
    /// - Parameters:
    ///   - place: the first sample's distance from the step, in symbols.
    ///   - advance: the increase of the distance from sample to sample.
    private mutating func smooth(_ range: Range<Int>, by toneStep: Int, from place: Double, _ advance: Double) {
        let scale = Double(FrameReplica.tableCount) / (FrameReplica.reachDeviations * stepDeviation)
        let reach = FrameReplica.reachDeviations * stepDeviation
        // The part of the range that the step affects.
        var part = range
        if advance > 0 {
            let count = Int(max(0, (reach - place) / advance)) + 1
            part = range.lowerBound..<min(range.upperBound, range.lowerBound + count)
        } else {
            let count = Int(max(0, (place - reach) / -advance))
            part = min(range.upperBound, range.lowerBound + count)..<range.upperBound
        }
        let height = Float(toneStep)
        let table = stepTable
        var line = turns.mutableSpan
        for index in part {
            let x = Float(scale * max(0, place + Double(index - range.lowerBound) * advance))
            let cell = min(Int(x), FrameReplica.tableCount)
            let fraction = x - Float(cell)
            line[index] += height * (table[cell] + fraction * (table[cell + 1] - table[cell]))
        }
    }

    private mutating func rotate() {
        let (count, line) = (sampleCount, turns)
        var all = samples.mutableSpan
        for index in 0..<count {
            all[index] = fastUnitPhasor(turns: line[index])
        }
    }

    private mutating func multiplyByTurns() {
        let (count, line) = (sampleCount, turns)
        var all = samples.mutableSpan
        for index in 0..<count {
            all[index] = all[index].times(fastUnitPhasor(turns: line[index]))
        }
    }

    private mutating func ramp(start: Double, end: Double, stretch: Double, rampCount: Double) {
        let (firstIndex, sampleCount) = (firstIndex, sampleCount)
        let count = min(Int(rampCount / stretch) + 1, sampleCount)
        var all = samples.mutableSpan
        for index in 0..<count {
            let fadeIn = min((Double(firstIndex + index) - start) * stretch / rampCount, 1)
            all[index] *= Float(0.5 * (1 - .cos(.pi * fadeIn)))
            let mirrored = sampleCount - 1 - index
            let fadeOut = min((end - Double(firstIndex + mirrored)) * stretch / rampCount, 1)
            all[mirrored] *= Float(0.5 * (1 - .cos(.pi * max(fadeOut, 0))))
        }
    }

    /// Silences the samples that the history lost, where a channel cannot be fitted.
    mutating func silence(lostIn history: BasebandHistory) {
        for index in history.heldRange(firstIndex..<firstIndex + sampleCount) where history.isLost(index) {
            samples[index - firstIndex] = ComplexSample()
        }
    }
}
