import EarshotCoding

/// The trellis for frames: it takes log-likelihoods of tones on the air, and returns the path's tones on the air and
/// its payload.
///
/// Only this part of the receiver deals with the code's order and the scrambler: all others use the order of tones on
/// the air. No allocation after `init`.
struct FrameTrellis: ~Copyable {
    /// λ of each tone on the air at each place of a data tone; the caller writes them before `decode`; shape [stepCount or more][M].
    var branchMetrics: [Float]

    /// The data tones of the last path, by place on the air; shape [stepCount or more].
    private(set) var tones: [UInt8]

    private var decoder: TrellisDecoder
    /// λ in the code's order of steps and tones.
    private var codeMetrics: [Float]
    private var pairs: [UInt8]
    private var codeTones: [UInt8]
    /// The number of data tones of the last path.
    private var stepCount = 0
    /// log₂ M of the last path.
    private var toneBits = 0

    /// Room for frames of these profiles with at most `maximumStepCount` data tones.
    init(profiles: [Profile], maximumStepCount: Int) {
        let metricCount = maximumStepCount * (profiles.map { $0.toneCount }.max() ?? 0)
        decoder = TrellisDecoder(
            memoryBits: profiles.map { $0.code.memoryBits }.max() ?? 0, longestStepCount: maximumStepCount)
        branchMetrics = [Float](repeating: 0, count: metricCount)
        // Separate arrays: the first write to a shared one would copy it.
        codeMetrics = [Float](repeating: 0, count: metricCount)
        pairs = [UInt8](repeating: 0, count: maximumStepCount)
        codeTones = [UInt8](repeating: 0, count: maximumStepCount)
        tones = [UInt8](repeating: 0, count: maximumStepCount)
    }

    /// Finds the best path through the branch metrics.
    /// - Parameter scramblerStart: the scrambler's number of the first data tone: 0 for a frame.
    /// - Returns: whether the path ends in the state in which it began.
    @discardableResult
    mutating func decode(_ code: TrellisCode, stepCount: Int, scramblerStart: Int = 0) -> Bool {
        (self.stepCount, toneBits) = (stepCount, code.toneBits)
        let interleaver = ToneInterleaver(stepCount: stepCount)
        DataTones.sortByCode(
            branchMetrics, interleaver, stepCount: stepCount, toneBits: toneBits, scramblerStart: scramblerStart,
            into: &codeMetrics)
        let isTailBiting = decoder.decode(code, codeMetrics, stepCount: stepCount, into: &pairs)
        code.writeTones(of: pairs, count: stepCount, into: &codeTones)
        for step in 0..<stepCount {
            let place = interleaver.place(ofStep: step)
            tones[place] = UInt8(ToneScrambler.scramble(Int(codeTones[step]), place: place, toneBits: toneBits))
        }
        return isTailBiting
    }

    /// The payload of the last path; nil if its CRC does not match.
    func payload(byteCount: Int) -> Payload? {
        FrameBits.payload(in: pairs.span.extracting(0..<stepCount), byteCount: byteCount)
    }

    /// The sum of λ along the last path.
    var pathSum: Float {
        var sum: Float = 0
        for step in 0..<stepCount {
            sum += codeMetrics[step << toneBits + Int(codeTones[step])]
        }
        return sum
    }

    /// The sum of λ along the last path, minus the mean λ of each step.
    var pathExcess: Float {
        var sum: Float = 0
        for step in 0..<stepCount {
            sum += codeMetrics[step << toneBits + Int(codeTones[step])]
            var all: Float = 0
            for tone in 0..<1 << toneBits {
                all += codeMetrics[step << toneBits + tone]
            }
            sum -= all / Float(1 << toneBits)
        }
        return sum
    }
}
