import EarshotCoding
import EarshotDSP
import RealModule

/// Log-likelihoods of the tones of devices that lie still and hear each other on one path: all of a frame's phases follow from
/// three numbers.
///
/// A transmitter advances the phases of all tones alike. So tone m of symbol k, m counted from the band's middle, has
///
///     y[k][m] = a·e^{j2π(f·k − τ·m)} + noise
///
/// where it is sent: f is the residual offset in turns a symbol, τ the residual delay in symbols, a the amplitude. With u[k][m] =
/// y[k][m]/N[m] and weights w that say how likely each tone is the one sent,
///
///     Z(f, τ) = Σₖ Σₘ w[k][m]·u[k][m]·e^{−j2π(f·k − τ·m)}
///     (f, τ)  = argmax |Z|,   a = Z / Σₖ Σₘ w[k][m]/N[m]
///     L[k][m] = 2·Re(a*·u[k][m]·e^{−j2π(f·k − τ·m)}) − |a|²/N[m]
///
/// f and τ lie on a grid of a quarter of a turn over the frame and over the band, which costs at most 0.06 dB: a phase that is
/// wrong by ±1/16 turn at the edges. The grid reaches as far as `FrameDetection` may be wrong.
///
/// The first w are the posteriors of the energies, the next those of the path found, so a few rounds go from a frame's place to its
/// phases (a prototype with ideal places: `standard` at −11 dB 12 % by energies, 93 % so).
///
/// Cost: K·M·D products for the first estimate, K·D·F for each, with D delays and F offsets: 19 and 31 of a token in `standard`. No
/// allocation after `init`.
struct StillChannel: ~Copyable {
    /// The maximum of |f|, in turns a symbol: half of the last step of the alignment, and some more.
    private static let maximumOffsetSpacings = 0.18
    /// The maximum of |τ|, in symbols.
    private static let maximumDelaySymbols = 0.08

    /// How far a second estimate may lie from the first, in steps of either kind: a path's energies correct the place by little.
    private static let nearReach = 3

    /// The most symbols of a frame: those of 9 bytes. Longer frames do without, because 64 channels would need 18 MB more.
    static let maximumSymbolCount = FrameLayout(payloadByteCount: 9).toneCount

    private let format: BasebandFormat
    private let delayCount: Int
    /// e^{j2πτm}; shape [delayCount][M].
    private let delayPhasors: [ComplexSample]
    /// e^{−j2πi/(4K)}; shape [4·K or more].
    private var offsetPhasors: [ComplexSample]
    /// u; shape [K or more][M].
    private var cells: [ComplexSample]
    /// 1/N; shape [M].
    private var inverses: [Float]
    /// Σₘ w·u·e^{j2πτm}; shape [delayCount][K].
    private var sums: [ComplexSample]
    /// The estimate: the row of `delayPhasors`, f in steps, a.
    private var (delay, offsetSteps, amplitude) = (0, 0, ComplexSample())
    private var symbolCount = 0
    /// Higher peaks that the search passes over.
    private var passed = InlineArray<4, (delay: Int, steps: Int)>(repeating: (0, 0))
    private var passedCount = 0
    private var products: ToneTransform
    private var samples: FFTPlan

    init(format: BasebandFormat) {
        self.format = format
        let (toneCount, symbolCount) = (format.profile.toneCount, StillChannel.maximumSymbolCount)
        let reach = Int((StillChannel.maximumDelaySymbols * Double(4 * toneCount)).rounded(.up))
        delayCount = 2 * reach + 1
        delayPhasors = (-reach...reach).flatMap { step in
            (0..<toneCount).map { tone in
                unitPhasor(turns: Double(step * (tone - toneCount / 2)) / Double(4 * toneCount))
            }
        }
        offsetPhasors = [ComplexSample](repeating: ComplexSample(), count: 4 * symbolCount)
        cells = [ComplexSample](repeating: ComplexSample(), count: symbolCount * toneCount)
        inverses = [Float](repeating: 0, count: toneCount)
        sums = [ComplexSample](repeating: ComplexSample(), count: delayCount * symbolCount)
        products = ToneTransform(format: format)
        samples = FFTPlan(length: format.samplesPerSymbol, hasInverse: false)
    }

    /// The residual offset in hertz.
    var offsetHertz: Float {
        Float(offsetSteps) / Float(4 * symbolCount) * Float(format.profile.toneSpacingHertz)
    }

    /// The residual delay in baseband samples.
    var delaySamples: Double {
        Double(delay - delayCount / 2) / Double(4 * format.profile.toneCount) * Double(format.samplesPerSymbol)
    }

    /// |a|²·mean of 1/N: the energy of a tone over the noise.
    var ratio: Float {
        var mean: Float = 0
        for inverse in inverses { mean += inverse / Float(inverses.count) }
        return amplitude.power * mean
    }

    /// Measures u of a frame in the channel that hears it best. Lost symbols have u = 0.
    mutating func measure(_ view: FrameView, metrics: borrowing ToneMetrics, _ history: BasebandHistory) {
        let (toneCount, length, symbolLength) = (
            view.profile.toneCount, view.format.samplesPerSymbol, view.symbolLength
        )
        setSymbolCount(view.layout.toneCount)
        for tone in 0..<toneCount { inverses[tone] = 1 / metrics.noise(tone) }
        for symbol in 0..<symbolCount {
            let first = Int((view.place.start + Double(symbol) * symbolLength).rounded())
            let isHeld = !metrics.erased.contains(symbol) && history.holds(from: first, count: length)
            if isHeld {
                history.load(first..<first + length, into: &samples)
                products.measure(
                    samples, scale: 1 / Float(length), turn: ComplexSample(1, 0), format, symbol: symbol,
                    firstIndex: first,
                    start: view.place.start, offsetHertz: view.place.offsetHertz)
            }
            for tone in 0..<toneCount {
                cells[symbol * toneCount + tone] = isHeld ? inverses[tone] * products[tone] : ComplexSample()
            }
        }
    }

    /// How well a frame's sync tones y are in phase, 0 ... 1, whatever their energies:
    ///
    ///     c = max over f, τ of |Σ y·e^{−j2π(f·k − τ·m)}|² / (8·Σ |y|²)
    mutating func coherence(_ view: FrameView, _ history: BasebandHistory) -> Float {
        let (length, symbolLength) = (view.format.samplesPerSymbol, view.symbolLength)
        setSymbolCount(FrameLayout.token.toneCount)
        var energy: Float = 0
        for index in 0..<delayCount * symbolCount { sums[index] = ComplexSample() }
        for (index, tone) in view.profile.syncTones.enumerated() {
            let symbol = FrameLayout.syncPlace(index)
            let first = Int((view.place.start + Double(symbol) * symbolLength).rounded())
            guard history.holds(from: first, count: length) else { continue }
            let cell = history.withSamples(from: first, count: length) {
                ToneTransform.correlation(
                    $0, tone: tone, format, symbol: symbol, firstIndex: first, start: view.place.start,
                    offsetHertz: view.place.offsetHertz)
            }
            energy += cell.power
            for delay in 0..<delayCount {
                sums[delay * symbolCount + symbol] = cell.times(delayPhasors[delay * view.profile.toneCount + tone])
            }
        }
        findPeak(symbolCount: FrameLayout.syncSpanToneCount, offsetStride: symbolCount / FrameLayout.syncSpanToneCount)
        return energy > 0 ? amplitude.power / (Float(FrameLayout.syncToneCount) * energy) : 0
    }

    private mutating func setSymbolCount(_ count: Int) {
        guard symbolCount != count else { return }
        symbolCount = count
        for index in 0..<4 * count { offsetPhasors[index] = unitPhasor(turns: -Double(index) / Double(4 * count)) }
    }

    /// Estimates f, τ and a.
    /// - Parameter weights: w; shape [K or more][M].
    mutating func estimate(weights: [Float], rank: Int) {
        let toneCount = format.profile.toneCount
        var weightSum: Float = 0
        for symbol in 0..<symbolCount {
            for tone in 0..<toneCount { weightSum += weights[symbol * toneCount + tone] * inverses[tone] }
        }
        StillChannel.addTones(
            cells, weights, delayPhasors, delayCount: delayCount, symbolCount: symbolCount,
            toneCount: toneCount, to: &sums)
        findPeak(symbolCount: symbolCount, offsetStride: 2)
        for _ in 0..<rank {
            passed[passedCount] = (delay, offsetSteps)
            passedCount += 1
            findPeak(symbolCount: symbolCount, offsetStride: 2)
        }
        passedCount = 0
        if weightSum > 0 { amplitude /= weightSum }
    }

    /// Estimates f, τ and a from one tone a symbol.
    /// - Parameters:
    ///   - tones: the tones; shape [K or more].
    ///   - weights: w of each; shape [K or more].
    mutating func estimate(tones: [Int], weights: [Float]) {
        let toneCount = format.profile.toneCount
        var weightSum: Float = 0
        for symbol in 0..<symbolCount {
            weightSum += weights[symbol] * inverses[tones[symbol]]
            let cell = weights[symbol] * cells[symbol * toneCount + tones[symbol]]
            for delay in 0..<delayCount {
                sums[delay * symbolCount + symbol] = cell.times(delayPhasors[delay * toneCount + tones[symbol]])
            }
        }
        findNearPeak()
        if weightSum > 0 { amplitude /= weightSum }
    }

    private static func addTones(
        _ cells: [ComplexSample], _ weights: [Float], _ phasors: [ComplexSample], delayCount: Int,
        symbolCount: Int, toneCount: Int, to sums: inout [ComplexSample]
    ) {
        let (cells, weights, phasors) = (cells.span, weights.span, phasors.span)
        var target = sums.mutableSpan
        for delay in 0..<delayCount {
            for symbol in 0..<symbolCount {
                var sum = ComplexSample()
                for tone in 0..<toneCount {
                    let cell = symbol * toneCount + tone
                    sum += (weights[cell] * cells[cell]).times(phasors[delay * toneCount + tone])
                }
                target[delay * symbolCount + symbol] = sum
            }
        }
    }

    /// Finds the highest |Z|: on a coarse grid first, of every second delay and every `offsetStride`-th offset, and then beside its peak.
    private mutating func findPeak(symbolCount count: Int, offsetStride: Int) {
        let reach = Int((StillChannel.maximumOffsetSpacings * Double(4 * symbolCount)).rounded(.up))
        search(0..<delayCount, -reach...reach, (2, offsetStride), symbolCount: count)
        let beside = offsetStride - 1
        search(
            max(delay - 1, 0)..<min(delay + 2, delayCount), offsetSteps - beside...offsetSteps + beside, (1, 1),
            symbolCount: count)
    }

    /// Finds the highest peak of |Z| near the place at which the cells were measured.
    private mutating func findNearPeak() {
        let near = StillChannel.nearReach
        search(
            max(delayCount / 2 - near, 0)..<min(delayCount / 2 + near + 1, delayCount), -near...near, (1, 1),
            symbolCount: symbolCount)
    }

    /// Searches some places of the grid; Z of the highest one becomes the amplitude.
    private mutating func search(
        _ delays: Range<Int>, _ steps: ClosedRange<Int>, _ strides: (delay: Int, steps: Int), symbolCount count: Int
    ) {
        let peak = StillChannel.peak(
            sums, offsetPhasors, delays, steps, strides, rowLength: symbolCount, symbolCount: count, passed, passedCount
        )
        (delay, offsetSteps, amplitude) = (peak.delay, peak.steps, peak.z)
    }

    /// Where |Z| is greatest.
    private static func peak(
        _ sums: [ComplexSample], _ phasors: [ComplexSample], _ delays: Range<Int>, _ steps: ClosedRange<Int>,
        _ strides: (delay: Int, steps: Int), rowLength: Int, symbolCount: Int,
        _ passed: InlineArray<4, (delay: Int, steps: Int)>, _ passedCount: Int
    ) -> (delay: Int, steps: Int, z: ComplexSample) {
        let (sums, phasors, period) = (sums.span, phasors.span, 4 * rowLength)
        var (best, power) = ((delay: 0, steps: 0, z: ComplexSample()), -Float.infinity)
        for delay in stride(from: delays.lowerBound, to: delays.upperBound, by: strides.delay) {
            for steps in stride(from: steps.lowerBound, through: steps.upperBound, by: strides.steps) {
                var isPassed = false
                for index in 0..<passedCount
                where abs(passed[index].delay - delay) < 4 && abs(passed[index].steps - steps) < 4 { isPassed = true }
                if isPassed { continue }
                let step = steps >= 0 ? steps : steps + period
                var (sum, phase) = (ComplexSample(), 0)
                for symbol in 0..<symbolCount {
                    sum += sums[delay * rowLength + symbol].times(phasors[phase])
                    phase += step
                    if phase >= period { phase -= period }
                }
                if sum.power > power { (best, power) = ((delay, steps, sum), sum.power) }
            }
        }
        return best
    }

    /// Writes L of a symbol, M values from target[first] on.
    func writeLogLikelihoods(symbol: Int, into target: inout [Float], at first: Int) {
        let (toneCount, period) = (format.profile.toneCount, 4 * symbolCount)
        let phase = (offsetSteps * symbol % period + period) % period
        let turn = amplitude.conjugate.times(offsetPhasors[phase])
        for tone in 0..<toneCount {
            let phasor = turn.times(delayPhasors[delay * toneCount + tone])
            let real = cells[symbol * toneCount + tone].times(phasor).x
            target[first + tone] = 2 * real - amplitude.power * inverses[tone]
        }
    }
}
