import CEarshotKernels
import EarshotCoding
import EarshotDSP
import RealModule

/// Finds a candidate's exact time and frequency.
///
///     score(t, f) = Σᵢ x / (x + level),   x = Eᵢ(t + i·N', syncTone[i] + f) / floor,   N' = N / (1 + f/centre)
///
/// with matched filters instead of the search's grid: up to 6/16 of a symbol and half a tone spacing away, in steps of a
/// sixteenth and an eighth, and between the steps by a parabola. One offset serves carrier and symbol clock, since motion and
/// clock errors change both alike.
///
/// The sync tones are mixed to zero once and summed in pieces of a sixteenth of a symbol. Every E is then a sum of sixteen
/// pieces, turned to its frequency. An eighth of a spacing turns a piece by 3°, which loses nothing within it.
///
/// `level` is the mean x at the best place so far, so that scores saturate at this signal's level and not at the noise. For
/// several symbols of a loud signal in a room the grid sees little more than "far above noise", and the energy itself tells
/// where the signal begins. The climb then starts from a wider range of times.
///
/// Cost: about 14·N complex products and 30 energies of sixteen pieces; three times as much for loud signals. No allocation
/// after `init`.
struct CandidateRefinement: ~Copyable {
    /// The minimum level; noise has 1.
    private static let minimumLevel: Float = 3
    /// The mean of ln(1 + x) in noise: e·E₁(1).
    private static let meanOfNoise: Float = 0.6
    /// A signal is loud from this level on.
    private static let loudLevel: Float = 15
    /// The number of pieces in a symbol.
    private static let pieceCount = 16
    /// The steps to either side: in pieces, and in eighths of a spacing.
    private static let timeReach = 6
    private static let offsetReach = 4
    /// The times at which a loud signal may begin, in pieces around the candidate.
    private static let loudTimes = -20...12
    private static let maximumPieceCount =
        loudTimes.count - 1 + 2 * timeReach + pieceCount

    private let format: BasebandFormat
    private let pieceLength: Int
    /// e^{−j2πd(k + ½)/16} for d = −½ ... ½ by eighths; shape [9][16].
    private let turns: [ComplexSample]
    private var stretch: [ComplexSample]
    private var pieces: [Float]
    private var scores = InlineArray<117, Float>(repeating: 0)

    init(format: BasebandFormat) {
        self.format = format
        let length = format.samplesPerSymbol
        precondition(length % CandidateRefinement.pieceCount == 0, "a symbol of \(length) samples")
        pieceLength = length / CandidateRefinement.pieceCount
        let reach = CandidateRefinement.offsetReach
        turns = (-reach...reach).flatMap { step in
            (0..<CandidateRefinement.pieceCount).map { piece in
                let angle =
                    2 * Float.pi * Float(step) / 8 * (Float(piece) + 0.5) / Float(CandidateRefinement.pieceCount)
                return unitPhasor(radians: -angle)
            }
        }
        // Symbols last longer at the lowest offset, by less than 2 %.
        let symbolCount = FrameLayout.syncToneCount
        stretch = [ComplexSample](
            repeating: ComplexSample(),
            count: symbolCount * length + length / 4 + CandidateRefinement.maximumPieceCount * pieceLength)
        pieces = [Float](repeating: 0, count: CandidateRefinement.maximumPieceCount * 2 * symbolCount)
    }

    /// The refined candidate, with a score of Σᵢ ln(1 + x). Lost samples count as noise's mean.
    mutating func refine(
        _ candidate: Candidate, _ history: BasebandHistory, _ noise: borrowing BandNoise
    ) -> Candidate {
        let reach = CandidateRefinement.timeReach
        var best = candidate
        let floor = inverseFloors(noise, offsetHertz: candidate.offsetHertz)
        sumPieces(history, best, -reach...reach)
        var level = level(floor)
        if level > CandidateRefinement.loudLevel {
            let times = CandidateRefinement.loudTimes
            sumPieces(history, best, times.lowerBound - reach...times.upperBound + reach)
            best.start += loudestTime(floor, level) * Double(pieceLength)
            sumPieces(history, best, -reach...reach)
            level = self.level(floor)
        }
        let place = climb(&best, floor, level)
        let ratios = ratios(time: place.time, offset: place.offset, floor)
        best.score = sumOfLogarithms(ratios) + CandidateRefinement.meanOfNoise * lostSymbolCount(best, history)
        return best
    }

    /// 1/noise power at each sync tone.
    private func inverseFloors(_ noise: borrowing BandNoise, offsetHertz: Float) -> SIMD8<Float> {
        var floors = SIMD8<Float>()
        for symbol in floors.indices {
            floors[symbol] = noise.inverse(tone: format.profile.syncTones[symbol], offsetHertz: offsetHertz)
        }
        return floors
    }

    /// Mixes the sync tones at a place to zero and sums them in pieces, from the piece at the first time to the end of the
    /// symbol that begins at the last time. Samples that the history does not hold are silence.
    private mutating func sumPieces(
        _ history: BasebandHistory, _ place: Candidate, _ times: ClosedRange<Int>
    ) {
        let symbolLength = format.symbolLength(offsetHertz: place.offsetHertz)
        let first = Int(place.start.rounded()) + times.lowerBound * pieceLength
        var starts = InlineArray<8, Int>(repeating: 0)
        var steps = InlineArray<16, Float>(repeating: 0)
        for symbol in starts.indices {
            let start = Int((place.start + Double(symbol) * symbolLength).rounded())
            starts[symbol] = start + times.lowerBound * pieceLength - first
            let turns =
                format.cyclesPerSample(tone: format.profile.syncTones[symbol])
                + format.cyclesPerSample(offsetHertz: place.offsetHertz)
            let step = unitPhasor(turns: -Double(turns))
            (steps[symbol], steps[8 + symbol]) = (step.x, step.y)
        }
        let count = times.count - 1 + CandidateRefinement.pieceCount
        precondition(
            starts[7] + count * pieceLength <= stretch.count && 16 * count <= pieces.count,
            "\(count) pieces of \(pieceLength) samples")
        let length = starts[7] + count * pieceLength
        if history.holds(from: first, count: length) {
            history.withSamples(from: first, count: length) { samples in
                sumPieces(samples, starts, steps, count)
            }
        } else {
            history.copy(first..<first + length, into: &stretch)
            // Moved out of self, because another part of self is in use.
            let samples = exchange(&stretch, with: [])
            sumPieces(samples.span.extracting(0..<length), starts, steps, count)
            stretch = samples
        }
    }

    private mutating func sumPieces(
        _ samples: Span<ComplexSample>, _ starts: InlineArray<8, Int>, _ steps: InlineArray<16, Float>, _ count: Int
    ) {
        starts.span.withUnsafeBufferPointer { starts in
            steps.span.withUnsafeBufferPointer { steps in
                samples.withUnsafeBufferPointer { samples in
                    earshot_piece_sums(
                        samples.baseAddress!.pairs, starts.baseAddress, steps.baseAddress, count, pieceLength, &pieces)
                }
            }
        }
    }

    /// x of every sync symbol, `time` pieces and `offset` eighths of a spacing from the first ones.
    private func ratios(time: Int, offset: Int, _ floor: SIMD8<Float>) -> SIMD8<Float> {
        let scale = 1 / Float(format.samplesPerSymbol * format.samplesPerSymbol)
        var energies = SIMD8<Float>()
        pieces.withUnsafeBufferPointer { pieces in
            turns.withUnsafeBufferPointer { turns in
                withUnsafeMutableBytes(of: &energies) { energies in
                    earshot_piece_energies(
                        pieces.baseAddress! + 16 * time,
                        (turns.baseAddress! + CandidateRefinement.pieceCount * offset).pairs,
                        CandidateRefinement.pieceCount, scale,
                        energies.baseAddress!.assumingMemoryBound(to: Float.self))
                }
            }
        }
        return energies * floor
    }

    /// The mean x in the middle, at least `minimumLevel`.
    private func level(_ floor: SIMD8<Float>) -> Float {
        let x = ratios(time: CandidateRefinement.timeReach, offset: CandidateRefinement.offsetReach, floor)
        return max(x.sum() / 8, CandidateRefinement.minimumLevel)
    }

    /// The best of the times at which a loud signal may begin, in steps of an eighth of a symbol; in pieces after the
    /// candidate.
    private func loudestTime(_ floor: SIMD8<Float>, _ level: Float) -> Double {
        let times = CandidateRefinement.loudTimes
        var scores = InlineArray<17, Float>(repeating: 0)
        for index in scores.indices {
            let x = ratios(
                time: CandidateRefinement.timeReach + 2 * index, offset: CandidateRefinement.offsetReach, floor)
            scores[index] = (x / (x + level)).sum()
        }
        var best = 0
        for index in scores.indices where scores[index] > scores[best] {
            best = index
        }
        let between =
            best > 0 && best < scores.count - 1
            ? parabolicPeak(scores[best - 1], scores[best], scores[best + 1]) : 0
        return Double(times.lowerBound + 2 * best) + 2 * Double(between)
    }

    /// Climbs from the best of a few places around the candidate until no step leads higher, and moves the candidate there;
    /// between the steps by a parabola.
    /// - Returns: the steps of the highest place.
    private mutating func climb(
        _ place: inout Candidate, _ floor: SIMD8<Float>, _ level: Float
    ) -> (time: Int, offset: Int) {
        let (timeReach, offsetReach) = (CandidateRefinement.timeReach, CandidateRefinement.offsetReach)
        for index in scores.indices {
            scores[index] = .nan
        }
        var best = (time: timeReach, offset: offsetReach)
        for time in stride(from: timeReach - 4, through: timeReach + 4, by: 2) {
            for offset in stride(from: offsetReach - 2, through: offsetReach + 2, by: 2) {
                if score(time, offset, floor, level) > score(best.time, best.offset, floor, level) {
                    best = (time, offset)
                }
            }
        }
        var isHighest = false
        while !isHighest {
            isHighest = true
            let centre = best
            for time in max(centre.time - 1, 0)...min(centre.time + 1, 2 * timeReach) {
                for offset in max(centre.offset - 1, 0)...min(centre.offset + 1, 2 * offsetReach)
                where score(time, offset, floor, level) > score(best.time, best.offset, floor, level) {
                    best = (time, offset)
                    isHighest = false
                }
            }
        }
        var pieceSteps = Float(best.time - timeReach)
        if best.time > 0 && best.time < 2 * timeReach {
            pieceSteps += parabolicPeak(
                score(best.time - 1, best.offset, floor, level), score(best.time, best.offset, floor, level),
                score(best.time + 1, best.offset, floor, level))
        }
        var offsetSteps = Float(best.offset - offsetReach)
        if best.offset > 0 && best.offset < 2 * offsetReach {
            offsetSteps += parabolicPeak(
                score(best.time, best.offset - 1, floor, level), score(best.time, best.offset, floor, level),
                score(best.time, best.offset + 1, floor, level))
        }
        place.start += Double(pieceSteps) * Double(pieceLength)
        place.offsetHertz += offsetSteps * Float(format.profile.toneSpacingHertz) / 8
        return best
    }

    /// The score at a number of steps from the first ones; computed once.
    private mutating func score(_ time: Int, _ offset: Int, _ floor: SIMD8<Float>, _ level: Float) -> Float {
        let index = time * (2 * CandidateRefinement.offsetReach + 1) + offset
        if scores[index].isNaN {
            let x = ratios(time: time, offset: offset, floor)
            scores[index] = (x / (x + level)).sum()
        }
        return scores[index]
    }

    /// The length of the lost part of the pattern, in symbols.
    private func lostSymbolCount(_ place: Candidate, _ history: BasebandHistory) -> Float {
        let length = format.samplesPerSymbol
        var count: Float = 0
        for symbol in 0..<FrameLayout.syncToneCount {
            let delay = Double(symbol) * format.symbolLength(offsetHertz: place.offsetHertz)
            let first = Int((place.start + delay).rounded())
            guard history.holds(from: first, count: length) else { continue }
            count += 1 - history.heldShare(from: first, count: length)
        }
        return count
    }

    private func sumOfLogarithms(_ ratios: SIMD8<Float>) -> Float {
        var sum: Float = 0
        for symbol in ratios.indices {
            sum += fastLog(1 + ratios[symbol])
        }
        return sum
    }
}
