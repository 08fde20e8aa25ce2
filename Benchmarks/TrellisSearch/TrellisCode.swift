/// A convolutional code whose every step is one tone.
///
///     r[t] = (state[t] << 2) | pair[t]            register, ν + 2 bits
///     state[t + 1] = r[t] mod 2^ν
///     tone[t] = Σ_b parity(r[t] & generators[b]) << b
///
/// Tones are orthogonal, so two paths are as far apart as the number of steps in which their tones differ; that
/// depends only on the set of registers with tone 0, the kernel of r ↦ tone. Any other basis of the span of the
/// generators gives the same distances.
struct TrellisCode: Equatable {
    /// ν, the number of state bits, 2...20.
    let memory: Int
    /// One (ν + 2)-bit mask per tone bit, least significant tone bit first.
    let generators: [UInt32]

    init(memory: Int, generators: [UInt32]) {
        precondition((2...20).contains(memory), "memory \(memory) outside 2...20")
        precondition(
            generators.allSatisfy { $0 >> UInt32(memory + 2) == 0 },
            "a generator of \(generators) is longer than \(memory + 2) bits")
        self.memory = memory
        self.generators = generators
    }

    var registerBits: Int { memory + 2 }
    var stateCount: Int { 1 << memory }
    var toneCount: Int { 1 << generators.count }

    /// tone(r) = Σ_b parity(r & generators[b]) << b, in 0..<toneCount.
    func tone(_ register: Int) -> Int {
        var tone = 0
        for (bit, generator) in generators.enumerated() {
            tone |= ((UInt32(register) & generator).nonzeroBitCount & 1) << bit
        }
        return tone
    }

    /// The reduced row echelon form of the generators, highest register bit first: one name for all codes with equal
    /// distances in every step. Shorter than `generators` if these are linearly dependent.
    var echelonForm: [UInt32] {
        var rows = generators
        var rank = 0
        for bit in stride(from: UInt32(registerBits - 1), through: 0, by: -1) where rank < rows.count {
            guard let pivot = rows[rank...].firstIndex(where: { $0 >> bit & 1 == 1 }) else { continue }
            rows.swapAt(rank, pivot)
            for other in rows.indices where other != rank && rows[other] >> bit & 1 == 1 {
                rows[other] ^= rows[rank]
            }
            rank += 1
        }
        return Array(rows.prefix(rank))
    }

    /// The registers with tone 0, in no particular order: 2^(ν + 2 − rank) of them, among them 0.
    var zeroToneRegisters: [UInt32] {
        let rows = echelonForm
        let pivots = rows.map { UInt32(31 - $0.leadingZeroBitCount) }
        var registers: [UInt32] = [0]
        registers.reserveCapacity(1 << (registerBits - rows.count))
        for bit in 0..<UInt32(registerBits) where !pivots.contains(bit) {
            // The free bit, and the pivot bits that make every parity even again.
            var basis: UInt32 = 1 << bit
            for (row, pivot) in zip(rows, pivots) where row >> bit & 1 == 1 {
                basis |= 1 << pivot
            }
            for index in registers.indices {
                registers.append(registers[index] ^ basis)
            }
        }
        return registers
    }

    /// True if a lone non-zero input pair makes a non-zero tone in each of the ⌈ν/2⌉ + 1 steps it is in the register,
    /// so that the three shortest error events have the maximum weight they can have.
    var singlePairsHaveFullWeight: Bool {
        stride(from: 0, to: registerBits, by: 2).allSatisfy { shift in
            (1...3).allSatisfy { pair in
                let register = (pair << shift) & ((1 << registerBits) - 1)
                return register == 0 || tone(register) != 0
            }
        }
    }
}
