import CEarshotKernels

/// Maximum-likelihood decoding of `TrellisCode`: a Viterbi decoder for tail-biting frames.
///
///     Γₙ(s') = max over j of Γₙ₋₁(s) + λₙ(tone(4·s + i)),   s' = (4·s + i) mod 2^ν,   j = the two bits that leave s
///
/// The frame is a ring of n steps. The decoder walks around it from `settlingSteps` before the first step to as many
/// after the last one, starting with all states equal, and reads the middle, where all survivors have settled at both
/// ends. (Reading the last turn instead costs 1 to 2 dB.)
///
/// Path metrics are 16-bit integers with the two bits j below them, so that one maximum gives metric and decision
/// together. The code is linear: tone(a ⊕ b) = tone(a) ⊕ tone(b), so sixteen neighbouring states share one table of M
/// vectors, filled once a step.
///
/// Cost: (n + 2 · settlingSteps) · 2^ν · 4 additions and maxima, sixteen at a time; about 0.03 ms for a token at ν = 10.
/// No allocation after `init`.
public struct TrellisDecoder: ~Copyable {
    /// The steps walked before and after the frame: six times the 5 steps that the ν = 10 encoder remembers.
    public static let settlingSteps = 30
    /// The maximum branch metric after quantisation. The best survivor is kept at zero and the others are within ν/2 +
    /// 1 steps of it: 4 · 1,000 · (ν/2 + 1) < 2^15 up to ν = 12.
    private static let maximumQuantisedMetric: Float = 1_000

    private let stateCount: Int
    private let longestStepCount: Int
    /// Metrics and winners; shape [walked steps + 1][2^ν].
    private var survivors: [Int16]

    /// A decoder for codes of `memoryBits` and frames of at most `longestStepCount` steps.
    public init(memoryBits: Int, longestStepCount: Int) {
        stateCount = 1 << memoryBits
        self.longestStepCount = longestStepCount
        survivors = [Int16](
            repeating: 0, count: (longestStepCount + 2 * TrellisDecoder.settlingSteps + 1) * stateCount)
    }

    /// Finds the most likely input pairs.
    /// - Parameters:
    ///   - code: the code, of this decoder's memory.
    ///   - metrics: log-likelihood of each tone at each step, any common offset a step; finite; shape
    ///     [stepCount or more][M].
    ///   - stepCount: the length of the path in steps, at most the decoder's maximum.
    ///   - pairs: receives the decoded input pairs, 0..3; shape [stepCount or more].
    /// - Returns: whether the path through the frame ends in the state in which it started. A codeword's path does; a
    ///   path fitted to other sound often does not.
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
        let walkCount = stepCount + 2 * TrellisDecoder.settlingSteps

        for state in 0..<stateCount {
            survivors[state] = 0
        }
        var step = (stepCount - TrellisDecoder.settlingSteps % stepCount) % stepCount
        var highest: Int16 = 0
        for walk in 0..<walkCount {
            highest = advance(
                code, metrics.extracting(step * toneCount..<(step + 1) * toneCount), scale: scale, fromRow: walk,
                highest: highest)
            step = step + 1 == stepCount ? 0 : step + 1
        }
        return traceBack(walkCount: walkCount, stepCount: stepCount, into: &pairs)
    }

    /// The quantised metric of one unit of log-likelihood.
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
        return TrellisDecoder.maximumQuantisedMetric / widest
    }

    /// One step of the trellis for all states: row `row` of the survivors to the next one.
    private mutating func advance(
        _ code: TrellisCode, _ metrics: Span<Float>, scale: Float, fromRow row: Int, highest: Int16
    ) -> Int16 {
        let stateCount = stateCount
        return survivors.withUnsafeMutableBufferPointer { survivors in
            metrics.withUnsafeBufferPointer { metrics in
                let old = survivors.baseAddress! + row * stateCount
                return earshot_trellis_step(
                    metrics.baseAddress!, metrics.count, scale, code.tones, stateCount, highest, old, old + stateCount)
            }
        }
    }

    private func traceBack(walkCount: Int, stepCount: Int, into pairs: inout [UInt8]) -> Bool {
        let quarter = stateCount / 4
        let survivors = survivors.span
        let last = walkCount * stateCount
        var state = 0
        for candidate in 0..<stateCount where survivors[last + candidate] > survivors[last + state] {
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
            let j = Int(survivors[(walk + 1) * stateCount + state]) & 3
            state = state >> 2 + j * quarter
        }
        return state == endState
    }
}
