/// A_d, the number of error events of a code with d non-zero tones, for d = 0...maximumWeight.
///
/// An error event leaves the zero state and ends when it first returns to it. Its length is not limited.
struct Spectrum: Equatable {
    /// eventCounts[d] = A_d.
    let eventCounts: [Int]

    /// The minimum d with A_d > 0; nil if there is none up to the maximum weight counted.
    var freeDistance: Int? { eventCounts.firstIndex { $0 > 0 } }

    /// Σ_d A_d·P2(d).
    func unionBound(_ pairwiseError: [Double]) -> Double {
        zip(eventCounts, pairwiseError).reduce(0) { $0 + Double($1.0) * $1.1 }
    }
}

/// Counts error events by weight.
///
///     x_d[s] = number of paths that left state 0, have not returned, are in s and have weight d
///     x_d = N·x_{d-1} + Z·x_d = (N + Z)·x_{d-1} − Z·x_{d-1} + Z·x_d
///
/// N and Z are the branches with a non-zero and with a zero tone. N + Z is the whole trellis, where the four
/// successors of a state share one sum of four predecessors, and Z is sparse (one branch in M). Z has no cycle unless
/// the code is catastrophic, so in topological order Z·x_d is one pass and paths of every length are counted.
/// Cost: 2^ν + 2·2^(ν+2)/M additions per weight; with the early stop of the search 11 µs per candidate at
/// ν = 10, M = 32, d ≤ 10 (x86-64, one core).
struct EventCounter {
    private struct Branch {
        let from: Int
        let to: Int
    }

    let memory: Int
    let maximumWeight: Int
    private var previous: [Int]
    private var current: [Int]
    private var quarterSums: [Int]
    private var incoming: [Int]
    private var hasZeroTone: [Bool]
    private var zeroBranches: [Branch] = []
    private var ready: [Int] = []

    init(memory: Int, maximumWeight: Int) {
        self.memory = memory
        self.maximumWeight = maximumWeight
        previous = Array(repeating: 0, count: 1 << memory)
        current = previous
        incoming = previous
        quarterSums = Array(repeating: 0, count: 1 << (memory - 2))
        hasZeroTone = Array(repeating: false, count: 1 << (memory + 2))
    }

    /// The spectrum, or nil for a catastrophic code: one with a cycle of zero tones other than 0 → 0.
    mutating func spectrum(of code: TrellisCode) -> Spectrum? {
        count(code, pairwiseError: nil, limit: .infinity).map(Spectrum.init(eventCounts:))
    }

    /// Σ_d A_d·P2(d) up to the maximum weight, or nil if the code is catastrophic or the sum exceeds `limit`.
    mutating func unionBound(of code: TrellisCode, pairwiseError: [Double], limit: Double) -> Double? {
        count(code, pairwiseError: pairwiseError, limit: limit)
            .map { Spectrum(eventCounts: $0).unionBound(pairwiseError) }
    }

    private mutating func count(_ code: TrellisCode, pairwiseError: [Double]?, limit: Double) -> [Int]? {
        precondition(code.memory == memory, "memory \(code.memory), counter made for \(memory)")
        let zeroTones = code.zeroToneRegisters
        guard sortZeroBranches(zeroTones) else { return nil }

        let quarter = 1 << (memory - 2)
        var counts = Array(repeating: 0, count: maximumWeight + 1)
        var bound = 0.0
        for state in previous.indices { previous[state] = 0 }
        for weight in 0...maximumWeight {
            for index in 0..<quarter {
                let sum =
                    previous[index] &+ previous[index + quarter]
                    &+ previous[index + 2 * quarter] &+ previous[index + 3 * quarter]
                quarterSums[index] = sum
            }
            for index in 0..<quarter {
                let sum = quarterSums[index]
                current[4 * index] = sum
                current[4 * index + 1] = sum
                current[4 * index + 2] = sum
                current[4 * index + 3] = sum
            }
            for branch in zeroBranches { current[branch.to] &-= previous[branch.from] }
            for pair in 1...3 where weight == (hasZeroTone[pair] ? 0 : 1) { current[pair] &+= 1 }
            current[0] = 0
            for branch in zeroBranches { current[branch.to] &+= current[branch.from] }
            for oldest in 1...3 {
                let register = oldest << memory
                counts[weight] += hasZeroTone[register] ? current[register >> 2] : previous[register >> 2]
            }
            swap(&previous, &current)
            if let pairwiseError {
                bound += Double(counts[weight]) * pairwiseError[weight]
                if bound > limit { return nil }
            }
        }
        return counts[0] == 0 ? counts : nil
    }

    /// Puts the zero-tone branches between non-zero states in topological order (Kahn); false if they have a cycle.
    private mutating func sortZeroBranches(_ zeroTones: [UInt32]) -> Bool {
        let stateMask = (1 << memory) - 1
        for index in hasZeroTone.indices { hasZeroTone[index] = false }
        for state in incoming.indices { incoming[state] = 0 }
        var branchCount = 0
        for register in zeroTones.lazy.map(Int.init) {
            hasZeroTone[register] = true
            guard register >> 2 != 0, register & stateMask != 0 else { continue }
            incoming[register & stateMask] += 1
            branchCount += 1
        }
        ready.removeAll(keepingCapacity: true)
        for register in zeroTones.lazy.map(Int.init) {
            let state = register >> 2
            guard state != 0, incoming[state] == 0 else { continue }
            incoming[state] = -1  // Listed once.
            ready.append(state)
        }
        zeroBranches.removeAll(keepingCapacity: true)
        while let state = ready.popLast() {
            for register in (state << 2)..<((state + 1) << 2) where hasZeroTone[register] {
                let next = register & stateMask
                guard next != 0 else { continue }
                zeroBranches.append(Branch(from: state, to: next))
                incoming[next] -= 1
                if incoming[next] == 0 {
                    incoming[next] = -1
                    ready.append(next)
                }
            }
        }
        return zeroBranches.count == branchCount
    }
}
