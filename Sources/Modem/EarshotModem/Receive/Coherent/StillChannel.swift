import EarshotCoding
import EarshotDSP
import RealModule

/// Log-likelihoods of tones between still devices with a single path: three numbers determine all phases of a frame.
///
/// A transmitter advances the phases of all tones alike. So tone m of symbol k, m counted from the band's middle, has
///
///     y[k][m] = a·e^{j2π(f·k − τ·m)} + noise
///
/// if it is sent: f is the residual offset in turns a symbol, τ the residual delay in symbols, a the amplitude. With
/// u[k][m] = y[k][m]/N[m] and the probability w of each tone,
///
///     Z(f, τ) = Σₖ Σₘ w[k][m]·u[k][m]·e^{−j2π(f·k − τ·m)}
///     (f, τ)  = argmax |Z|,   a = Z / Σₖ Σₘ w[k][m]/N[m]
///     L[k][m] = 2·Re(a*·u[k][m]·e^{−j2π(f·k − τ·m)}) − |a|²/N[m]
///
/// f and τ are on a grid of a quarter of a turn over the frame and over the band, which costs at most 0.06 dB: a phase
/// error of ±1/16 turn at the edges. The grid covers the maximum error of `FrameDetection`.
///
/// The first w are the posteriors from the energies, later ones those of the decoded path, so a few rounds lead from a
/// frame's place to its phases (a prototype with ideal places: `standard` at −11 dB 12 % by energies, 93 % so).
///
/// Cost: K·M·D products for the first estimate, K·D·F for each, with D delays and F offsets: 23 and 39 of a token in `standard`, eight
/// delays at once. No allocation after `init`.
struct StillChannel: ~Copyable {
    /// The maximum of |f|, in turns a symbol: slightly more than half of the last step of the alignment.
    private static let maximumOffsetSpacings = 0.18
    /// The maximum of |τ|, in symbols.
    private static let maximumDelaySymbols = 0.08

    /// The maximum distance of a second estimate from the first, in steps of either kind: a path's energies correct the
    /// place only slightly.
    private static let nearReach = 3

    /// The maximum number of symbols of a frame: that of 9 bytes. Longer frames are not supported, because 64 channels
    /// would need 18 MB more.
    static let maximumSymbolCount = FrameLayout(payloadByteCount: 9).toneCount

    private let format: BasebandFormat
    private let delayCount: Int
    /// e^{j2πτm}; M rows.
    private let delayPhasors: DelayRows
    /// e^{−j2πi/(4K)}; shape [4·K or more].
    private var offsetPhasors: [ComplexSample]
    /// u; shape [K or more][M].
    private var cells: [ComplexSample]
    /// w·u of one symbol; shape [M].
    private var weighted: [ComplexSample]
    /// 1/N; shape [M].
    private var inverses: [Float]
    /// Σₘ w·u·e^{j2πτm}; K rows or more.
    private var sums: DelayRows
    /// Z at one f; one row.
    private var heights: DelayRows
    /// The estimate: the delay's place in a row, f in steps, a.
    private var (delay, offsetSteps, amplitude) = (0, 0, ComplexSample())
    private var symbolCount = 0
    /// Higher peaks that the search skips.
    private var passed = InlineArray<4, (delay: Int, steps: Int)>(repeating: (0, 0))
    private var passedCount = 0
    private var products: ToneTransform
    private var samples: FFTPlan

    init(format: BasebandFormat) {
        self.format = format
        let (toneCount, symbolCount) = (format.profile.toneCount, StillChannel.maximumSymbolCount)
        let reach = Int((StillChannel.maximumDelaySymbols * Double(4 * toneCount)).rounded(.up))
        delayCount = 2 * reach + 1
        var phasors = DelayRows(rowCount: toneCount, delayCount: delayCount)
        for tone in 0..<toneCount {
            for delay in 0..<delayCount {
                phasors[tone, delay] = unitPhasor(
                    turns: Double((delay - reach) * (tone - toneCount / 2)) / Double(4 * toneCount))
            }
        }
        delayPhasors = phasors
        offsetPhasors = [ComplexSample](repeating: ComplexSample(), count: 4 * symbolCount)
        cells = [ComplexSample](repeating: ComplexSample(), count: symbolCount * toneCount)
        weighted = [ComplexSample](repeating: ComplexSample(), count: toneCount)
        inverses = [Float](repeating: 0, count: toneCount)
        sums = DelayRows(rowCount: symbolCount, delayCount: delayCount)
        heights = DelayRows(rowCount: 1, delayCount: delayCount)
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

    /// The coherence of a frame's sync tones y, 0 ... 1, independent of their energies:
    ///
    ///     c = max over f, τ of |Σ y·e^{−j2π(f·k − τ·m)}|² / (8·Σ |y|²)
    mutating func coherence(_ view: FrameView, _ history: BasebandHistory) -> Float {
        let (length, symbolLength) = (view.format.samplesPerSymbol, view.symbolLength)
        setSymbolCount(FrameLayout.token.toneCount)
        var energy: Float = 0
        sums.clear(0..<FrameLayout.syncSpanToneCount)
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
            writeSums(symbol: symbol, tone: tone, cell)
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
        for symbol in 0..<symbolCount {
            let first = symbol * toneCount
            for tone in 0..<toneCount { weighted[tone] = weights[first + tone] * cells[first + tone] }
            delayPhasors.writeSum(0..<toneCount, times: weighted, period: toneCount, into: &sums, row: symbol)
        }
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
            writeSums(
                symbol: symbol, tone: tones[symbol], weights[symbol] * cells[symbol * toneCount + tones[symbol]])
        }
        findNearPeak()
        if weightSum > 0 { amplitude /= weightSum }
    }

    /// Writes the sums of a symbol with a single weighted tone.
    private mutating func writeSums(symbol: Int, tone: Int, _ cell: ComplexSample) {
        weighted[0] = cell
        delayPhasors.writeSum(tone..<tone + 1, times: weighted, period: 1, into: &sums, row: symbol)
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

    /// Searches a part of the grid; Z at the maximum becomes the amplitude.
    private mutating func search(
        _ delays: Range<Int>, _ steps: ClosedRange<Int>, _ strides: (delay: Int, steps: Int), symbolCount count: Int
    ) {
        let period = 4 * symbolCount
        var power = -Float.infinity
        for step in stride(from: steps.lowerBound, through: steps.upperBound, by: strides.steps) {
            sums.writeSum(
                0..<count, times: offsetPhasors, step: step >= 0 ? step : step + period, period: period, into: &heights)
            for place in stride(from: delays.lowerBound, to: delays.upperBound, by: strides.delay) {
                let z = heights[0, place]
                if z.power > power, !isPassed(place, step) {
                    (delay, offsetSteps, amplitude, power) = (place, step, z, z.power)
                }
            }
        }
    }

    private func isPassed(_ place: Int, _ step: Int) -> Bool {
        (0..<passedCount).contains { abs(passed[$0].delay - place) < 4 && abs(passed[$0].steps - step) < 4 }
    }

    /// Writes L of a symbol, M values from target[first] on.
    func writeLogLikelihoods(symbol: Int, into target: inout [Float], at first: Int) {
        let (toneCount, period) = (format.profile.toneCount, 4 * symbolCount)
        let phase = (offsetSteps * symbol % period + period) % period
        let turn = amplitude.conjugate.times(offsetPhasors[phase])
        for tone in 0..<toneCount {
            let phasor = turn.times(delayPhasors[tone, delay])
            let real = cells[symbol * toneCount + tone].times(phasor).x
            target[first + tone] = 2 * real - amplitude.power * inverses[tone]
        }
    }
}
