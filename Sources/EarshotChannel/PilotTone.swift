import RealModule

/// A steady sine without an end: a switching supply, the pilot of a public address system, a television's line.
///
///     y[n] = A·sin(2π·(φ + n·f/F))
///
/// The phase is counted in 2⁻⁶⁴ turns, so it is off by less than 10⁻⁸ turns after a hundred hours at 192 kHz. A sine
/// and a cosine every 64 samples in double precision, and the sums of angles between. Cost: about 0.5 ns a sample.
public struct PilotTone: SoundSource {
    private static let strideLength = 64

    /// A·sin and A·cos of what is turned within a stride.
    private let sines: [Float]
    private let cosines: [Float]
    /// 2⁻⁶⁴ turns.
    private let turnsPerSample: UInt64
    private var turns: UInt64
    /// Samples of this stride that have been read.
    private var place = 0

    /// - Parameters:
    ///   - hertz: f, 0 to half the sample rate, to a millionth of a hertz.
    ///   - amplitude: A.
    ///   - phaseTurns: φ.
    public init(hertz: Double, amplitude: Float, phaseTurns: Double = 0, sampleRateHertz: Int) {
        precondition(hertz >= 0 && 2 * hertz <= Double(sampleRateHertz), "\(hertz) Hz at \(sampleRateHertz) Hz")
        // In whole numbers: a quotient in double precision would be off by 10⁻⁷ turns after a day.
        let parts = 1_000_000.0
        let (quotient, _) = (UInt64(sampleRateHertz) * UInt64(parts))
            .dividingFullWidth((high: UInt64((hertz * parts).rounded()), low: 0))
        turnsPerSample = quotient
        turns = Self.fixed(phaseTurns)
        let angles = (0..<Self.strideLength).map { Self.radians(UInt64($0) &* quotient) }
        sines = angles.map { amplitude * Float(Double.sin($0)) }
        cosines = angles.map { amplitude * Float(Double.cos($0)) }
    }

    /// See the protocol.
    public mutating func read(into block: inout MutableSpan<Float>) -> Int {
        var index = 0
        while index < block.count {
            let angle = Self.radians(turns)
            let sine = Float(Double.sin(angle))
            let cosine = Float(Double.cos(angle))
            let count = min(Self.strideLength - place, block.count - index)
            for offset in 0..<count {
                block[index + offset] = sine * cosines[place + offset] + cosine * sines[place + offset]
            }
            index += count
            place += count
            if place == Self.strideLength {
                place = 0
                turns &+= UInt64(Self.strideLength) &* turnsPerSample
            }
        }
        return block.count
    }

    private static func fixed(_ turns: Double) -> UInt64 {
        // 53 bits of a turn are all that a number in [0, 1) has for certain.
        UInt64((turns - turns.rounded(.down)) * 0x1p53) &<< 11
    }

    private static func radians(_ turns: UInt64) -> Double {
        2 * .pi * Double(turns) * 0x1p-64
    }
}
