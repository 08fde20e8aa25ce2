/// A tail-biting convolutional code whose output is a tone: two bits in, one of M tones out, each step.
///
///     register r = state · 4 + input        (ν + 2 bits; input: 2 bits)
///     tone bit b = parity(r & generator[b])  (b = 0 the least significant)
///     next state = r mod 2^ν
///
/// The tone *is* the code's output, so the receiver's tone log-likelihoods are the branch metrics, and no information
/// is lost by a conversion to single bits. Tail-biting: a frame ends in the state in which it starts, so no tones are
/// spent on termination.
///
/// Generators come from a search by distance spectrum; see `docs/trellis-code.md`.
public struct TrellisCode: Sendable {
    /// ν: the bits of the state.
    public let memoryBits: Int
    /// log2(M): the bits of a tone number.
    public let toneBits: Int
    /// One mask of ν + 2 bits for every tone bit, least significant tone bit first.
    public let generators: [UInt16]
    /// The tone of every register content; shape [2^(ν+2)].
    public let tones: [UInt8]

    /// The code of the given memory (4 to 12 bits) and generators (one for each of 1 to 6 tone bits).
    public init(memoryBits: Int, generators: [UInt16]) {
        precondition((4...12).contains(memoryBits), "memory of \(memoryBits) bits, valid are 4 to 12")
        precondition((1...6).contains(generators.count), "\(generators.count) generators, valid are 1 to 6")
        precondition(
            generators.allSatisfy { $0 >> UInt16(memoryBits + 2) == 0 && $0 != 0 },
            "a generator has \(memoryBits + 2) bits and is not zero: \(generators)")
        self.memoryBits = memoryBits
        self.generators = generators
        toneBits = generators.count
        // Parity is linear: tone(a ⊕ b) = tone(a) ⊕ tone(b). So a register's tone is that of the register without one
        // bit, ⊕ the tone of that bit.
        var tones = [UInt8](repeating: 0, count: 4 << memoryBits)
        for register in 1..<tones.count {
            let rest = register & (register - 1)
            tones[register] = rest == 0 ? TrellisCode.tone(register, generators) : tones[rest] ^ tones[register ^ rest]
        }
        self.tones = tones
    }

    private static func tone(_ register: Int, _ generators: [UInt16]) -> UInt8 {
        var tone: UInt8 = 0
        for (bit, generator) in generators.enumerated() {
            tone |= UInt8((register & Int(generator)).nonzeroBitCount & 1) << UInt8(bit)
        }
        return tone
    }

    /// M: the number of tones.
    public var toneCount: Int { 1 << toneBits }
    /// 2^ν: the number of states.
    public var stateCount: Int { 1 << memoryBits }

    /// The codeword of the input pairs, tail-biting: pairs[n] in 0..3, at least ν/2 of them.
    /// - Returns: tones[n], one per input pair, not scrambled.
    public func encode(_ pairs: [UInt8]) -> [UInt8] {
        precondition(2 * pairs.count >= memoryBits, "\(pairs.count) pairs do not fill a memory of \(memoryBits) bits")
        var codeword = [UInt8](repeating: 0, count: pairs.count)
        writeTones(of: pairs, count: pairs.count, into: &codeword)
        return codeword
    }

    /// Writes the tones along the path that input pairs take through the trellis, tail-biting.
    /// - Parameters:
    ///   - pairs: the frame's input pairs; shape [count or more].
    ///   - count: how many of them belong to the frame.
    ///   - codeword: receives a tone for each pair, not scrambled; shape [count or more]. Cost: no allocation.
    public func writeTones(of pairs: [UInt8], count: Int, into codeword: inout [UInt8]) {
        var state = tailBitingState(pairs, count: count)
        for step in 0..<count {
            let register = state << 2 | Int(pairs[step])
            state = register & (stateCount - 1)
            codeword[step] = tones[register]
        }
    }

    /// The state in which a tail-biting frame starts and ends, given by its last ν/2 pairs.
    /// - Parameters:
    ///   - pairs: the frame's input pairs; shape [count or more].
    ///   - count: how many of them belong to the frame.
    public func tailBitingState(_ pairs: [UInt8], count: Int) -> Int {
        var state = 0
        for step in max(0, count - (memoryBits + 1) / 2)..<count {
            state = (state << 2 | Int(pairs[step])) & (stateCount - 1)
        }
        return state
    }
}
