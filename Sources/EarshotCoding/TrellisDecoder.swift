/// Maximum-likelihood decoding of `TrellisCode`: a Viterbi decoder for tail-biting frames.
///
///     Γₙ(s') = max over j of Γₙ₋₁(s) + λₙ(tone(4·s + i)),   s' = (4·s + i) mod 2^ν,   j = the two bits that leave s
///
/// The frame is a ring of n steps. The decoder walks around it from `settlingSteps` before the first step to as many
/// behind the last one, starting with all states equal, and reads the middle: there every survivor has settled at
/// both ends. (Reading the last turn instead costs 1 to 2 dB.)
///
/// Path metrics are 16-bit integers with the two bits j below them, so that one maximum finds metric and decision
/// together. The code is linear: tone(a ⊕ b) = tone(a) ⊕ tone(b), so eight neighbouring states share one table of
/// M vectors, filled once a step.
///
/// Cost: (n + 2 · settlingSteps) · 2^ν · 4 additions and maxima, eight at a time; about 0.1 ms for a token at ν = 10.
/// No allocation after `init`.
public struct TrellisDecoder: ~Copyable {
    /// Steps walked before and behind the frame: six times the 5 steps that the ν = 10 encoder remembers.
    public static let settlingSteps = 30
    /// The largest branch metric after quantisation. The best survivor is kept at zero and the others lie within
    /// ν/2 + 1 steps of it: 4 · 1,000 · (ν/2 + 1) < 2^15 up to ν = 12.
    private static let largestQuantisedMetric: Float = 1_000

    private let stateCount: Int
    private let longestStepCount: Int
    private var branchVectors = [SIMD8<Int16>](repeating: SIMD8(), count: 64)
    private var survivors: [SIMD8<Int16>]

    /// A decoder for codes of `memoryBits` and frames of at most `longestStepCount` steps.
    public init(memoryBits: Int, longestStepCount: Int) {
        stateCount = 1 << memoryBits
        self.longestStepCount = longestStepCount
        survivors = [SIMD8<Int16>](
            repeating: SIMD8(), count: (longestStepCount + 2 * TrellisDecoder.settlingSteps + 1) * stateCount / 8)
    }

    /// Finds the most likely input pairs.
    /// - Parameters:
    ///   - code: the code, of this decoder's memory.
    ///   - metrics: log-likelihood of each tone at each step, any common offset a step; finite; shape
    ///     [stepCount or more][M].
    ///   - pairs: receives the decoded input pairs, 0..3; shape [stepCount or more].
    /// - Returns: whether the path through the frame ends in the state it started in. A codeword's does; what was fitted
    ///   to something else often does not.
    @discardableResult
    public mutating func decode(
        _ code: TrellisCode, _ metrics: [Float], stepCount: Int, into pairs: inout [UInt8]
    ) -> Bool {
        let toneCount = code.toneCount
        precondition(stepCount <= longestStepCount, "\(stepCount) steps, room for \(longestStepCount)")
        precondition(metrics.count >= stepCount * toneCount, "\(metrics.count) metrics for \(stepCount) steps")
        precondition(pairs.count >= stepCount, "room for \(pairs.count) of \(stepCount) pairs")
        let metrics = metrics.span.extracting(0..<stepCount * toneCount)
        precondition(code.stateCount == stateCount, "a code of \(code.stateCount) states, room for \(stateCount)")
        let scale = quantisationScale(metrics, toneCount: toneCount)
        let vectorCount = stateCount / 8
        let laneTones = SIMD8<UInt8>(code.tones[0..<8])
        let walkCount = stepCount + 2 * TrellisDecoder.settlingSteps

        for index in 0..<vectorCount {
            survivors[index] = SIMD8()
        }
        var step = (stepCount - TrellisDecoder.settlingSteps % stepCount) % stepCount
        var highest: Int16 = 0
        for walk in 0..<walkCount {
            fillBranchVectors(
                metrics.extracting(step * toneCount..<(step + 1) * toneCount), laneTones: laneTones, scale: scale)
            highest = advance(code, fromRow: walk, highest: highest)
            step = step + 1 == stepCount ? 0 : step + 1
        }
        return traceBack(walkCount: walkCount, stepCount: stepCount, into: &pairs)
    }

    /// What one unit of log-likelihood is as a quantised metric.
    private func quantisationScale(_ metrics: Span<Float>, toneCount: Int) -> Float {
        var widest: Float = 1e-9
        for first in stride(from: 0, to: metrics.count, by: toneCount) {
            var low = metrics[first]
            var high = low
            for index in first..<first + toneCount {
                low = min(low, metrics[index])
                high = max(high, metrics[index])
            }
            widest = max(widest, high - low)
        }
        return TrellisDecoder.largestQuantisedMetric / widest
    }

    /// branchVectors[t][lane] = 4 · quantised metric of tone t ⊕ tone(lane), so that states 8p ... 8p + 7 take
    /// branchVectors[tone(8p) ⊕ tone(2^ν · j)] whole.
    private mutating func fillBranchVectors(_ metrics: Span<Float>, laneTones: SIMD8<UInt8>, scale: Float) {
        var low = metrics[0]
        for index in metrics.indices {
            low = min(low, metrics[index])
        }
        var quantised = InlineArray<64, Int16>(repeating: 0)
        for index in metrics.indices {
            quantised[index] = 4 * Int16((metrics[index] - low) * scale + 0.5)
        }
        for tone in metrics.indices {
            var vector = SIMD8<Int16>()
            for lane in 0..<8 {
                vector[lane] = quantised[tone ^ Int(laneTones[lane])]
            }
            branchVectors[tone] = vector
        }
    }

    /// One step of the trellis for all states: row `row` of the survivors to the next one.
    private mutating func advance(_ code: TrellisCode, fromRow row: Int, highest: Int16) -> Int16 {
        let vectorCount = stateCount / 8
        return survivors.withUnsafeMutableBufferPointer { survivors in
            branchVectors.withUnsafeBufferPointer { branches in
                code.tones.withUnsafeBufferPointer { tones in
                    let old = survivors.baseAddress! + row * vectorCount
                    return addCompareSelect(
                        old: old, offset: highest, tones: tones.baseAddress!, branches: branches.baseAddress!,
                        new: old + vectorCount, vectorCount: vectorCount)
                }
            }
        }
    }

    private func traceBack(walkCount: Int, stepCount: Int, into pairs: inout [UInt8]) -> Bool {
        let quarter = stateCount / 4
        var state = 0
        for candidate in 0..<stateCount where metric(candidate, row: walkCount) > metric(state, row: walkCount) {
            state = candidate
        }
        var endState = 0
        for walk in stride(from: walkCount - 1, through: TrellisDecoder.settlingSteps, by: -1) {
            let step = walk - TrellisDecoder.settlingSteps
            if step == stepCount - 1 {
                endState = state
            }
            if step < stepCount {
                pairs[step] = UInt8(state & 3)
            }
            let j = Int(metric(state, row: walk + 1)) & 3
            state = state >> 2 + j * quarter
        }
        return state == endState
    }

    private func metric(_ state: Int, row: Int) -> Int16 {
        survivors[row * stateCount / 8 + state / 8][state % 8]
    }
}
