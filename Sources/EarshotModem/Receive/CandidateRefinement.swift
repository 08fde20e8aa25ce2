import EarshotCoding
import EarshotDSP

/// Finds a candidate's exact time and frequency.
///
///     score(t, f) = Σᵢ x / (x + level),   x = Eᵢ(t + i·N', syncTone[i] + f) / floor,   N' = N / (1 + f/centre)
///
/// with matched filters instead of the search's grid, by steps of T/16 and an eighth of a tone spacing, and between the
/// steps by a parabola. One offset serves carrier and symbol clock, since motion and clock errors change both alike.
///
/// `level` is the mean x at the place reached so far, so that scores saturate where this signal is and not at the noise: of a
/// loud signal in a room the grid sees little more than "far above noise" for several symbols, and the energy itself
/// says where it begins. There the climb starts from a wider range of times.
///
/// Cost: about 180·N complex products, 300·N for loud signals. No allocation after `init`.
struct CandidateRefinement: ~Copyable {
    /// The least level; noise has 1.
    private static let leastLevel: Float = 3
    /// The mean of ln(1 + x) in noise: e·E₁(1).
    private static let meanOfNoise: Float = 0.6
    /// From this level on a signal is loud.
    private static let loudLevel: Float = 15

    private let format: BasebandFormat
    private var correlator: ToneCorrelator
    private var ratios = InlineArray<8, Float>(repeating: 0)

    init(format: BasebandFormat) {
        self.format = format
        correlator = ToneCorrelator(length: format.samplesPerSymbol)
    }

    /// The refined candidate, with a score of Σᵢ ln(1 + x). What was lost counts as noise's mean.
    /// - Parameter inverseFloor: see `SyncSearch.inverseFloor`.
    mutating func refine(
        _ candidate: Candidate, _ history: borrowing BasebandHistory, inverseFloor: [Float]
    ) -> Candidate {
        let spacing = Float(format.profile.toneSpacingHertz)
        let symbol = Double(format.samplesPerSymbol)
        var best = candidate
        var level = measureLevel(best, history, inverseFloor)
        if level > CandidateRefinement.loudLevel {
            climb(&best, history, inverseFloor, level, -10...6, timeStep: symbol / 8, offsetStep: 0)
            level = measureLevel(best, history, inverseFloor)
        }
        // The grid leaves an eighth of a symbol and a quarter of a spacing to either side.
        climb(&best, history, inverseFloor, level, -2...2, timeStep: 0, offsetStep: spacing / 8)
        climb(&best, history, inverseFloor, level, -3...3, timeStep: symbol / 16, offsetStep: 0)
        climb(&best, history, inverseFloor, level, -2...2, timeStep: 0, offsetStep: spacing / 8)
        climb(&best, history, inverseFloor, level, -1...1, timeStep: symbol / 16, offsetStep: 0)
        measure(history, inverseFloor, start: best.start, offsetHertz: best.offsetHertz)
        best.score = sumOfLogarithms() + CandidateRefinement.meanOfNoise * lostSymbolCount(best, history)
        return best
    }

    /// The mean x at a place, at least `leastLevel`.
    private mutating func measureLevel(
        _ place: Candidate, _ history: borrowing BasebandHistory, _ inverseFloor: [Float]
    ) -> Float {
        measure(history, inverseFloor, start: place.start, offsetHertz: place.offsetHertz)
        var sum: Float = 0
        for symbol in ratios.indices {
            sum += ratios[symbol]
        }
        return max(sum / Float(ratios.count), CandidateRefinement.leastLevel)
    }

    /// Tries the steps and takes the best place, between the steps by a parabola.
    private mutating func climb(
        _ best: inout Candidate, _ history: borrowing BasebandHistory, _ inverseFloor: [Float], _ level: Float,
        _ steps: ClosedRange<Int>, timeStep: Double, offsetStep: Float
    ) {
        var scores = InlineArray<17, Float>(repeating: 0)
        if offsetStep == 0 {
            // All times share the reference tones.
            for symbol in ratios.indices {
                tune(symbol, offsetHertz: best.offsetHertz)
                for (index, step) in steps.enumerated() {
                    let start = best.start + Double(step) * timeStep
                    let x = ratio(symbol, history, inverseFloor, start: start, offsetHertz: best.offsetHertz)
                    scores[index] += x / (x + level)
                }
            }
        } else {
            for (index, step) in steps.enumerated() {
                let offsetHertz = best.offsetHertz + Float(step) * offsetStep
                measure(history, inverseFloor, start: best.start, offsetHertz: offsetHertz)
                for symbol in ratios.indices {
                    scores[index] += ratios[symbol] / (ratios[symbol] + level)
                }
            }
        }
        var bestIndex = 0
        for index in 0..<steps.count where scores[index] > scores[bestIndex] {
            bestIndex = index
        }
        var place = Float(steps.lowerBound + bestIndex)
        if bestIndex > 0 && bestIndex < steps.count - 1 {
            let (left, middle, right) = (scores[bestIndex - 1], scores[bestIndex], scores[bestIndex + 1])
            let curvature = left - 2 * middle + right
            if curvature < 0 {
                place += 0.5 * (left - right) / curvature
            }
        }
        best.start += Double(place) * timeStep
        best.offsetHertz += place * offsetStep
    }

    /// x of every sync symbol, to `ratios`.
    private mutating func measure(
        _ history: borrowing BasebandHistory, _ inverseFloor: [Float], start: Double, offsetHertz: Float
    ) {
        for symbol in ratios.indices {
            tune(symbol, offsetHertz: offsetHertz)
            ratios[symbol] = ratio(symbol, history, inverseFloor, start: start, offsetHertz: offsetHertz)
        }
    }

    private mutating func tune(_ symbol: Int, offsetHertz: Float) {
        correlator.tune(
            cyclesPerSample: format.cyclesPerSample(tone: format.profile.syncTones[symbol])
                + format.cyclesPerSample(offsetHertz: offsetHertz))
    }

    /// x of one sync symbol, whose reference is tuned.
    private func ratio(
        _ symbol: Int, _ history: borrowing BasebandHistory, _ inverseFloor: [Float], start: Double, offsetHertz: Float
    ) -> Float {
        let profile = format.profile
        let first = Int((start + Double(symbol) * format.symbolLength(offsetHertz: offsetHertz)).rounded())
        guard history.holds(from: first, count: correlator.length) else { return 0 }
        let halfSpacings = Int((2 * offsetHertz / Float(profile.toneSpacingHertz)).rounded())
        let largest = format.largestOffsetHalfSpacings
        let bin = 2 * profile.syncTones[symbol] + min(max(halfSpacings, -largest), largest) + largest
        let energy = history.withSamples(from: first, count: correlator.length) { correlator.energy($0) }
        return energy * inverseFloor[bin]
    }

    /// How much of the pattern was lost, in symbols.
    private func lostSymbolCount(_ place: Candidate, _ history: borrowing BasebandHistory) -> Float {
        var count: Float = 0
        for symbol in ratios.indices {
            let delay = Double(symbol) * format.symbolLength(offsetHertz: place.offsetHertz)
            let first = Int((place.start + delay).rounded())
            guard history.holds(from: first, count: correlator.length) else { continue }
            count += 1 - history.heldShare(from: first, count: correlator.length)
        }
        return count
    }

    private func sumOfLogarithms() -> Float {
        let ln2: Float = 0.693_147_2
        var sum: Float = 0
        for symbol in ratios.indices {
            sum += ln2 * fastLog2(1 + ratios[symbol])
        }
        return sum
    }
}
