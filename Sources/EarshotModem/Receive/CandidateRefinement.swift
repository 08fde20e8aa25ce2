import EarshotCoding
import EarshotDSP

/// Finds a candidate's exact time and frequency.
///
///     score(t, f) = Σᵢ ln(1 + Eᵢ(t + i·N', tone[i] + f) / floor),   N' = N / (1 + f/centre)
///
/// with matched filters instead of the search's grid: first in frequency, then in time, then in frequency again, by steps
/// of T/16 and an eighth of a tone spacing, and last by a parabola through the best three. One offset serves carrier
/// and symbol clock, since motion and clock errors change both alike. Cost: about 160·N complex products.
struct CandidateRefinement: ~Copyable {
    private let format: BasebandFormat
    private var correlator: ToneCorrelator

    init(format: BasebandFormat) {
        self.format = format
        correlator = ToneCorrelator(length: format.samplesPerSymbol)
    }

    /// The refined candidate.
    /// - Parameter inverseFloor: see `SyncSearch.inverseFloor`.
    mutating func refine(
        _ candidate: Candidate, _ history: borrowing BasebandHistory, inverseFloor: Span<Float>
    ) -> Candidate {
        let spacing = Float(format.profile.toneSpacingHertz)
        let timeStep = Double(format.samplesPerSymbol) / 16
        var best = candidate
        best.score = 0
        climb(&best, history, inverseFloor, steps: 3, timeStep: 0, offsetStep: spacing / 8)
        climb(&best, history, inverseFloor, steps: 4, timeStep: timeStep, offsetStep: 0)
        climb(&best, history, inverseFloor, steps: 1, timeStep: 0, offsetStep: spacing / 8)
        return best
    }

    /// Tries `steps` steps on either side and takes the best place, between the steps by a parabola.
    private mutating func climb(
        _ best: inout Candidate, _ history: borrowing BasebandHistory, _ inverseFloor: Span<Float>,
        steps: Int, timeStep: Double, offsetStep: Float
    ) {
        var scores = InlineArray<9, Float>(repeating: 0)
        var bestIndex = 0
        for index in 0...2 * steps {
            scores[index] = score(
                history, inverseFloor, start: best.start + Double(index - steps) * timeStep,
                offsetHertz: best.offsetHertz + Float(index - steps) * offsetStep)
            if scores[index] > scores[bestIndex] {
                bestIndex = index
            }
        }
        var place = Float(bestIndex - steps)
        if bestIndex > 0 && bestIndex < 2 * steps {
            let (left, middle, right) = (scores[bestIndex - 1], scores[bestIndex], scores[bestIndex + 1])
            let curvature = left - 2 * middle + right
            if curvature < 0 {
                place += 0.5 * (left - right) / curvature
            }
        }
        best.start += Double(place) * timeStep
        best.offsetHertz += place * offsetStep
        best.score = scores[bestIndex]
    }

    private mutating func score(
        _ history: borrowing BasebandHistory, _ inverseFloor: Span<Float>, start: Double, offsetHertz: Float
    ) -> Float {
        let profile = format.profile
        let symbolLength = format.symbolLength(offsetHertz: offsetHertz)
        let offset = format.cyclesPerSample(offsetHertz: offsetHertz)
        let halfSpacings = Int((2 * offsetHertz / Float(profile.toneSpacingHertz)).rounded())
        let largest = format.largestOffsetHalfSpacings
        let bins = min(max(halfSpacings, -largest), largest) + largest
        let ln2: Float = 0.693_147_2
        var sum: Float = 0
        for (symbol, tone) in profile.syncTones.enumerated() {
            let first = Int((start + Double(symbol) * symbolLength).rounded())
            guard history.holds(from: first, count: correlator.length) else { continue }
            correlator.tune(cyclesPerSample: format.cyclesPerSample(tone: tone) + offset)
            let energy = history.withSamples(from: first, count: correlator.length) { correlator.energy($0) }
            sum += ln2 * fastLog2(1 + energy * inverseFloor[2 * tone + bins])
        }
        return sum
    }
}
