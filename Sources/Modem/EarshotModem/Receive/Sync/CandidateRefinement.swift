import CEarshotKernels
import EarshotCoding
import EarshotDSP
import RealModule

/// Finds a candidate's exact time and frequency.
///
///     score(t, f) = Σᵢ x / (x + level),   x = Eᵢ(t + i·N', syncTone[i] + f) / floor,   N' = N / (1 + f/centre)
///
/// with matched filters instead of the search's grid: up to 6/16 of a symbol and half a tone spacing away, in steps of
/// a sixteenth and an eighth, and between the steps by a parabola. Carrier and symbol clock share one offset, because
/// motion and clock errors change both alike.
///
/// The sync tones are mixed to zero once and summed in pieces of a sixteenth of a symbol. Then every E is a sum of
/// sixteen pieces, turned to its frequency. An eighth of a spacing turns a piece by 3°, a negligible loss within it.
///
/// `level` is the mean x at the best place so far, so that scores saturate at this signal's level and not at the noise.
/// With a loud signal in a room, the grid is saturated for several symbols, and only the energy shows the start of the
/// signal. Then the climb starts from a wider range of times.
///
/// With several channels x is that of `ChannelSum`: each channel has its own noise and the share from the search.
///
/// Cost: about 14·N complex products and 30 energies of sixteen pieces for each channel with a share; three times as much for
/// loud signals. No allocation after `init`.
struct CandidateRefinement: ~Copyable {
    /// The minimum level; noise has 1.
    private static let minimumLevel: Float = 3
    /// The mean of ln(1 + x) in noise: e·E₁(1).
    private static let meanOfNoise: Float = 0.6
    /// The minimum level of a loud signal.
    private static let loudLevel: Float = 15
    /// The number of pieces in a symbol.
    private static let pieceCount = 16
    /// The steps to either side: in pieces, and in eighths of a spacing.
    private static let timeReach = 6
    private static let offsetReach = 4
    /// The possible start times of a loud signal, in pieces around the candidate.
    private static let loudTimes = -20...12
    private static let maximumPieceCount =
        loudTimes.count - 1 + 2 * timeReach + pieceCount

    private let format: BasebandFormat
    private let pieceLength: Int
    /// e^{−j2πd(k + ½)/16} for d = −½ ... ½ by eighths; shape [9][16].
    private let turns: [ComplexSample]
    private var stretch: [ComplexSample]
    /// The pieces of each channel, `pieceStride` apart.
    private var pieces: [Float]
    private let pieceStride: Int
    /// r/noise power at each sync tone, for each channel with a share r, the best channel first.
    private var floors = InlineArray<8, SIMD8<Float>>(repeating: SIMD8())
    /// The channels of `floors`.
    private var channels = InlineArray<8, Int>(repeating: 0)
    private var channelCount = 1
    private var scores = InlineArray<117, Float>(repeating: 0)

    init(format: BasebandFormat, channelCount: Int = 1) {
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
        stretch = [ComplexSample](
            repeating: ComplexSample(),
            count: FrameLayout.syncSpanToneCount * length + length / 4 + CandidateRefinement.maximumPieceCount
                * pieceLength)
        pieceStride = CandidateRefinement.maximumPieceCount * 2 * FrameLayout.syncToneCount
        pieces = [Float](repeating: 0, count: channelCount * pieceStride)
    }

    /// The refined candidate, with a score of Σᵢ ln(1 + x). Lost samples count as the mean of noise.
    /// - Parameters:
    ///   - candidate: the place found by the search, with the channels' shares.
    ///   - histories: the baseband.
    ///   - noise: the noise of each channel.
    ///   - sum: prepared with the candidate's shares.
    ///   - inverseLevels: 1/level of the noise in each sync tone's symbol, over that of `noise`.
    mutating func refine(
        _ candidate: Candidate, _ histories: ChannelHistories, _ noise: ProfileNoise, _ sum: borrowing ChannelSum,
        inverseLevels: SIMD8<Float> = SIMD8(repeating: 1)
    ) -> Candidate {
        let reach = CandidateRefinement.timeReach
        var best = candidate
        measureFloors(candidate, noise, inverseLevels)
        sumPieces(histories, best, -reach...reach)
        var level = level(sum)
        if level > CandidateRefinement.loudLevel {
            let times = CandidateRefinement.loudTimes
            sumPieces(histories, best, times.lowerBound - reach...times.upperBound + reach)
            best.start += loudestTime(sum, level) * Double(pieceLength)
            sumPieces(histories, best, -reach...reach)
            level = self.level(sum)
        }
        let place = climb(&best, sum, level)
        let ratios = ratios(time: place.time, offset: place.offset, sum)
        let lostCount = lostSymbolCount(best, histories[channels[0]])
        best.score = sumOfLogarithms(ratios) + CandidateRefinement.meanOfNoise * lostCount
        return best
    }

    /// r/noise power at each sync tone, of all channels that have a share.
    private mutating func measureFloors(
        _ candidate: Candidate, _ noise: ProfileNoise, _ inverseLevels: SIMD8<Float>
    ) {
        channels[0] = candidate.shares.best
        channelCount = 1
        for channel in noise.channels.indices where channel != channels[0] && candidate.shares.values[channel] > 0 {
            channels[channelCount] = channel
            channelCount += 1
        }
        for index in 0..<channelCount {
            let channel = channels[index]
            for symbol in 0..<FrameLayout.syncToneCount {
                floors[index][symbol] =
                    candidate.shares.values[channel] * inverseLevels[symbol]
                    * noise.channels[channel].inverse(
                        tone: format.profile.syncTones[symbol], offsetHertz: candidate.offsetHertz)
            }
        }
    }

    /// Mixes the sync tones at a place to zero and sums them in pieces, from the piece at the first time to the end of
    /// the symbol that begins at the last time. Samples that are not in the history are silence.
    private mutating func sumPieces(
        _ histories: ChannelHistories, _ place: Candidate, _ times: ClosedRange<Int>
    ) {
        let symbolLength = format.symbolLength(offsetHertz: place.offsetHertz)
        let first = Int(place.start.rounded()) + times.lowerBound * pieceLength
        var starts = InlineArray<8, Int>(repeating: 0)
        var steps = InlineArray<16, Float>(repeating: 0)
        for symbol in starts.indices {
            let start = Int((place.start + Double(FrameLayout.syncPlace(symbol)) * symbolLength).rounded())
            starts[symbol] = start + times.lowerBound * pieceLength - first
            let turns =
                format.cyclesPerSample(tone: format.profile.syncTones[symbol])
                + format.cyclesPerSample(offsetHertz: place.offsetHertz(atSymbol: FrameLayout.syncPlace(symbol)))
            let step = unitPhasor(turns: -Double(turns))
            (steps[symbol], steps[8 + symbol]) = (step.x, step.y)
        }
        let count = times.count - 1 + CandidateRefinement.pieceCount
        precondition(
            starts[7] + count * pieceLength <= stretch.count && 16 * count <= pieceStride,
            "\(count) pieces of \(pieceLength) samples")
        let length = starts[7] + count * pieceLength
        for index in 0..<channelCount {
            let history = histories[channels[index]]
            if history.holds(from: first, count: length) {
                history.withSamples(from: first, count: length) { samples in
                    sumPieces(samples, starts, steps, count, index)
                }
            } else {
                history.copy(first..<first + length, into: &stretch)
                // Moved out of self, because another part of self is in use.
                let samples = exchange(&stretch, with: [])
                sumPieces(samples.span.extracting(0..<length), starts, steps, count, index)
                stretch = samples
            }
        }
    }

    private mutating func sumPieces(
        _ samples: Span<ComplexSample>, _ starts: InlineArray<8, Int>, _ steps: InlineArray<16, Float>, _ count: Int,
        _ index: Int
    ) {
        let firstPiece = index * pieceStride
        starts.span.withUnsafeBufferPointer { starts in
            steps.span.withUnsafeBufferPointer { steps in
                samples.withUnsafeBufferPointer { samples in
                    pieces.withUnsafeMutableBufferPointer { pieces in
                        earshot_piece_sums(
                            samples.baseAddress!.pairs, starts.baseAddress, steps.baseAddress, count, pieceLength,
                            pieces.baseAddress! + firstPiece)
                    }
                }
            }
        }
    }

    /// x of every sync symbol, `time` pieces and `offset` eighths of a spacing from the first ones.
    private func ratios(time: Int, offset: Int, _ sum: borrowing ChannelSum) -> SIMD8<Float> {
        var ratios = energies(0, time: time, offset: offset) * floors[0]
        guard channelCount > 1 else { return ratios }
        for index in 1..<channelCount {
            ratios += energies(index, time: time, offset: offset) * floors[index]
        }
        for symbol in ratios.indices { ratios[symbol] = sum.equivalent(ratios[symbol]) }
        return ratios
    }

    /// The energies of the sync symbols in one of `channels`.
    private func energies(_ index: Int, time: Int, offset: Int) -> SIMD8<Float> {
        let scale = 1 / Float(format.samplesPerSymbol * format.samplesPerSymbol)
        var energies = SIMD8<Float>()
        pieces.withUnsafeBufferPointer { pieces in
            turns.withUnsafeBufferPointer { turns in
                withUnsafeMutableBytes(of: &energies) { energies in
                    earshot_piece_energies(
                        pieces.baseAddress! + index * pieceStride + 16 * time,
                        (turns.baseAddress! + CandidateRefinement.pieceCount * offset).pairs,
                        CandidateRefinement.pieceCount, scale,
                        energies.baseAddress!.assumingMemoryBound(to: Float.self))
                }
            }
        }
        return energies
    }

    /// The mean x in the middle, at least `minimumLevel`.
    private func level(_ sum: borrowing ChannelSum) -> Float {
        let x = ratios(time: CandidateRefinement.timeReach, offset: CandidateRefinement.offsetReach, sum)
        return max(x.sum() / 8, CandidateRefinement.minimumLevel)
    }

    /// The best of the possible start times of a loud signal, in steps of an eighth of a symbol; in pieces after the
    /// candidate.
    private func loudestTime(_ sum: borrowing ChannelSum, _ level: Float) -> Double {
        let times = CandidateRefinement.loudTimes
        var scores = InlineArray<17, Float>(repeating: 0)
        for index in scores.indices {
            let x = ratios(
                time: CandidateRefinement.timeReach + 2 * index, offset: CandidateRefinement.offsetReach, sum)
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

    /// Climbs from the best of a few places around the candidate until no step increases the score, and moves the
    /// candidate there, refined by a parabola.
    /// - Returns: the steps of the highest place.
    private mutating func climb(
        _ place: inout Candidate, _ sum: borrowing ChannelSum, _ level: Float
    ) -> (time: Int, offset: Int) {
        let (timeReach, offsetReach) = (CandidateRefinement.timeReach, CandidateRefinement.offsetReach)
        for index in scores.indices {
            scores[index] = .nan
        }
        var best = (time: timeReach, offset: offsetReach)
        for time in stride(from: timeReach - 4, through: timeReach + 4, by: 2) {
            for offset in stride(from: offsetReach - 2, through: offsetReach + 2, by: 2) {
                if score(time, offset, sum, level) > score(best.time, best.offset, sum, level) {
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
                where score(time, offset, sum, level) > score(best.time, best.offset, sum, level) {
                    best = (time, offset)
                    isHighest = false
                }
            }
        }
        var pieceSteps = Float(best.time - timeReach)
        if best.time > 0 && best.time < 2 * timeReach {
            pieceSteps += parabolicPeak(
                score(best.time - 1, best.offset, sum, level), score(best.time, best.offset, sum, level),
                score(best.time + 1, best.offset, sum, level))
        }
        var offsetSteps = Float(best.offset - offsetReach)
        if best.offset > 0 && best.offset < 2 * offsetReach {
            offsetSteps += parabolicPeak(
                score(best.time, best.offset - 1, sum, level), score(best.time, best.offset, sum, level),
                score(best.time, best.offset + 1, sum, level))
        }
        place.start += Double(pieceSteps) * Double(pieceLength)
        place.offsetHertz += offsetSteps * Float(format.profile.toneSpacingHertz) / 8
        return best
    }

    /// The score at a number of steps from the first ones; computed once.
    private mutating func score(_ time: Int, _ offset: Int, _ sum: borrowing ChannelSum, _ level: Float) -> Float {
        let index = time * (2 * CandidateRefinement.offsetReach + 1) + offset
        if scores[index].isNaN {
            let x = ratios(time: time, offset: offset, sum)
            scores[index] = (x / (x + level)).sum()
        }
        return scores[index]
    }

    /// The length of the lost part of the pattern, in symbols.
    private func lostSymbolCount(_ place: Candidate, _ history: BasebandHistory) -> Float {
        let length = format.samplesPerSymbol
        var count: Float = 0
        for symbol in 0..<FrameLayout.syncToneCount {
            let delay = Double(FrameLayout.syncPlace(symbol)) * format.symbolLength(offsetHertz: place.offsetHertz)
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
