/// Tail-biting Viterbi, circular: three wraps, all states equal at the start, the middle wrap is the answer.
///
/// Written for clarity; it exists to compare codes. Cost: 3·steps·2^(ν+2) add-compare-selects per frame.
struct TailBitingDecoder {
    let code: TrellisCode
    let steps: Int
    private let tones: [UInt8]
    private var metrics: [Float]
    private var nextMetrics: [Float]
    private var oldestPairs: [UInt8]

    init(code: TrellisCode, steps: Int) {
        precondition(code.toneCount <= 256, "\(code.toneCount) tones, at most 256")
        self.code = code
        self.steps = steps
        tones = (0..<4 * code.stateCount).map { UInt8(code.tone($0)) }
        metrics = Array(repeating: 0, count: code.stateCount)
        nextMetrics = metrics
        oldestPairs = Array(repeating: 0, count: 3 * steps * code.stateCount)
    }

    /// The tones of a frame. The register starts with the last ⌈ν/2⌉ pairs, so that the path is closed.
    func encode(_ pairs: [Int]) -> [Int] {
        let stateMask = code.stateCount - 1
        var state = pairs.reduce(0) { ($0 << 2 | $1) & stateMask }
        return pairs.map { pair in
            let register = state << 2 | pair
            state = register & stateMask
            return Int(tones[register])
        }
    }

    /// - Parameter logLikelihoods: [step][tone], flat, steps × toneCount; greater means likelier.
    /// - Returns: the input pairs, 0...3, one per step.
    mutating func decode(_ logLikelihoods: [Float]) -> [Int] {
        let toneCount = code.toneCount
        let quarter = code.stateCount / 4
        for state in metrics.indices { metrics[state] = 0 }
        for step in 0..<3 * steps {
            let row = step % steps * toneCount
            let choices = step * code.stateCount
            for state in 0..<code.stateCount {
                var greatest = -Float.infinity
                var choice = 0
                for oldest in 0..<4 {
                    let register = oldest * code.stateCount + state
                    let metric = metrics[oldest * quarter + state >> 2] + logLikelihoods[row + Int(tones[register])]
                    if metric > greatest { (greatest, choice) = (metric, oldest) }
                }
                nextMetrics[state] = greatest
                oldestPairs[choices + state] = UInt8(choice)
            }
            swap(&metrics, &nextMetrics)
        }
        var state = metrics.indices.max { metrics[$0] < metrics[$1] } ?? 0
        var pairs = Array(repeating: 0, count: steps)
        for step in stride(from: 3 * steps - 1, through: steps, by: -1) {
            if step < 2 * steps { pairs[step - steps] = state & 3 }
            state = Int(oldestPairs[step * code.stateCount + state]) * quarter + state >> 2
        }
        return pairs
    }
}
