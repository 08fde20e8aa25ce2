extension Reference {
    /// The CRC by its definition: the remainder of a long division of polynomials over GF(2), bit by bit, as on paper.
    ///
    /// The message, its first 24 bits exclusive-or'ed with the start value 0xFEDCBA, followed by 24 zeros, is divided
    /// by x²⁴ + x²² + x²⁰ + x¹⁹ + x¹⁸ + x¹⁶ + x¹⁴ + x¹³ + x¹¹ + x¹⁰ + x⁸ + x⁷ + x⁶ + x³ + x + 1.
    public static func crc24(_ bytes: [UInt8]) -> UInt32 {
        let powers = [24, 22, 20, 19, 18, 16, 14, 13, 11, 10, 8, 7, 6, 3, 1, 0]
        let divisor = powers.reduce(into: [Bool](repeating: false, count: 25)) { $0[24 - $1] = true }
        var dividend: [Bool] = bytes.flatMap { byte in (0..<8).map { byte & (0x80 >> UInt8($0)) != 0 } }
        dividend += [Bool](repeating: false, count: 24)
        for position in 0..<24 where 0xFEDCBA >> (23 - position) & 1 == 1 {
            dividend[position].toggle()
        }
        for position in 0..<dividend.count - 24 where dividend[position] {
            for (offset, isSet) in divisor.enumerated() where isSet {
                dividend[position + offset].toggle()
            }
        }
        return dividend.suffix(24).reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
    }

    /// The bytes on the air by docs/PROTOCOL.md, section 3, with the CRC of all bytes so far at every step.
    public static func mix(_ payload: [UInt8]) -> [UInt8] {
        let count = payload.count
        var bytes = payload
        for order in [Array(0..<count), (0..<count).reversed(), Array(0..<count)] {
            var taken: [UInt8] = [3, UInt8(count)]
            for index in order {
                let exponent = bytes[index] ^ UInt8(crc24(taken) % 256)
                bytes[index] = UInt8((0..<exponent).reduce(1) { power, _ in power * 45 % 257 } % 256)
                taken.append(bytes[index])
            }
        }
        return bytes
    }

    /// The convolutional codeword by its definition. Bit b of tone n is the parity of those of the latest `memoryBits`
    /// + 2 input bits that the generator selects. The frame's input bits form a ring.
    public static func encode(_ pairs: [UInt8], memoryBits: Int, generators: [UInt16]) -> [UInt8] {
        let bits = pairs.flatMap { [$0 >> 1 & 1, $0 & 1] }
        return pairs.indices.map { n in
            generators.enumerated().reduce(UInt8(0)) { tone, generator in
                let parity = (0..<memoryBits + 2).reduce(UInt8(0)) { parity, age in
                    let isTapped = generator.element >> UInt16(age) & 1 == 1
                    let place = (2 * n + 1 - age + 8 * bits.count) % bits.count
                    return isTapped ? parity ^ bits[place] : parity
                }
                return tone | parity << UInt8(generator.offset)
            }
        }
    }

    /// Σ metrics[n][tones[n]].
    public static func pathMetric(_ tones: [UInt8], _ metrics: [[Double]]) -> Double {
        zip(tones, metrics).reduce(0) { $0 + $1.1[Int($1.0)] }
    }

    /// The maximum path metric of all codewords, by trying all of them. Cost: 4ⁿ codewords.
    public static func bestPathMetric(_ metrics: [[Double]], memoryBits: Int, generators: [UInt16]) -> Double {
        (0..<1 << (2 * metrics.count)).reduce(-.infinity) { best, number in
            let pairs = metrics.indices.map { UInt8(number >> (2 * $0) & 3) }
            return max(best, pathMetric(encode(pairs, memoryBits: memoryBits, generators: generators), metrics))
        }
    }

    /// Viterbi's algorithm around the ring: `settlingSteps` before the frame, the frame, `settlingSteps` after it. All
    /// states are equal at first; the result is the frame's part of the best path.
    ///
    /// Of equal paths the one with the greater number of leaving bits wins, and at the end the lowest state, as in
    /// `TrellisDecoder`, so that both agree to the bit.
    public static func viterbi(
        _ metrics: [[Double]], memoryBits: Int, generators: [UInt16], settlingSteps: Int
    ) -> (pairs: [UInt8], isTailBiting: Bool) {
        let stateCount = 1 << memoryBits
        let tones = (0..<4 * stateCount).map { register in
            generators.indices.reduce(0) { $0 | ((register & Int(generators[$1])).nonzeroBitCount & 1) << $1 }
        }
        var pathMetrics = [Double](repeating: 0, count: stateCount)
        var winners: [[Int]] = []
        let walk = -settlingSteps..<metrics.count + settlingSteps
        for place in walk {
            let step = (place + settlingSteps * metrics.count) % metrics.count
            var next = [Double](repeating: -.infinity, count: stateCount)
            var winner = [Int](repeating: 0, count: stateCount)
            for state in 0..<stateCount {
                for pair in 0..<4 {
                    let register = 4 * state + pair
                    let metric = pathMetrics[state] + metrics[step][tones[register]]
                    // The loop meets states in ascending order, so ">=" prefers the greater leaving bits.
                    if metric >= next[register % stateCount] {
                        next[register % stateCount] = metric
                        winner[register % stateCount] = state
                    }
                }
            }
            pathMetrics = next
            winners.append(winner)
        }
        let last = winners[winners.count - 1]
        func rank(_ state: Int) -> (Double, Int) { (pathMetrics[state], last[state] * 4 / stateCount) }
        var state = (0..<stateCount).reduce(0) { rank($1) > rank($0) ? $1 : $0 }
        var pairs = [UInt8](repeating: 0, count: metrics.count)
        var end = 0
        for place in walk.reversed() where place >= 0 {
            if place == metrics.count - 1 { end = state }
            if place < metrics.count { pairs[place] = UInt8(state % 4) }
            state = winners[place + settlingSteps][state]
        }
        return (pairs, state == end)
    }
}
