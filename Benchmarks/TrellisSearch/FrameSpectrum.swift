/// N_d, the number of tail-biting frames of `steps` steps with d non-zero tones, d = 0...maximumWeight.
///
///     N_d = Σ_s [number of closed walks s → s of `steps` branches with weight d]
///
/// This counts all competitors of the sent frame, even walks that never touch the zero state and
/// pairs of events. Below twice the free distance N_d ≈ steps·A_d. Cost:
/// 2^ν·steps·2^(ν+2)·(maximumWeight + 1) additions, some seconds at ν = 10.
func frameSpectrum(of code: TrellisCode, steps: Int, maximumWeight: Int) -> [Int] {
    let stateMask = code.stateCount - 1
    let stride = maximumWeight + 1
    let isSilent = (0..<4 * code.stateCount).map { code.tone($0) == 0 }
    var totals = Array(repeating: 0, count: stride)
    var previous = Array(repeating: Int32(0), count: code.stateCount * stride)
    var current = previous
    for start in 0..<code.stateCount {
        for index in previous.indices { previous[index] = 0 }
        previous[start * stride] = 1
        for _ in 0..<steps {
            for index in current.indices { current[index] = 0 }
            for register in isSilent.indices {
                let from = (register >> 2) * stride
                let to = (register & stateMask) * stride
                if isSilent[register] {
                    for weight in 0...maximumWeight { current[to + weight] &+= previous[from + weight] }
                } else {
                    for weight in 0..<maximumWeight { current[to + weight + 1] &+= previous[from + weight] }
                }
            }
            swap(&previous, &current)
        }
        for weight in 0...maximumWeight { totals[weight] += Int(previous[start * stride + weight]) }
    }
    return totals
}
