import RealModule

/// The minimum share of frames that any code loses: k bits in n symbols, each one of M orthogonal tones, in white
/// Gaussian noise, for a decoder that knows the energies of all tones, or their phases too. A decoder that learns the
/// phase from the frame itself, because it is continuous from tone to tone, is between the two.
///
///     k = n·C − √(n·V)·Q⁻¹(ε) + ½·log₂ n        ⇒        ε = Q((n·C + ½·log₂ n − k) / √(n·V))
///
/// the normal approximation, with C and V of `OrthogonalToneChannel`; and never less than 1 − Mⁿ/2ᵏ, because a decoder
/// cannot distinguish more words than there are.
///
/// It is an approximation and not a proof: at n = 40 to 52, M = 16 to 64 and ε = 1 to 10 % it is 0.1 to 0.2 dB above a
/// limit that provably no code can pass (the meta-converse) and 0.1 to 0.25 dB below one that some code provably
/// reaches (the dependence-testing bound). From seed to seed it varies by 0.02 dB (one deviation, M = 16; less for more
/// tones).
///
/// Es/N0 = SNR·1500·T, SNR being the power of the sine over the noise in 1,500 Hz. M = 32, n = 44 and k = 88 (64 bits and
/// a CRC-24) fail in 10 % at Es/N0 = 5.3 dB and in 1 % at 5.9 dB. In terms of the 64 bits, Eb = 44·Es/64, these are 3.7
/// and 4.2 dB.
package struct FiniteLengthBound: Sendable {
    private static let referenceHertz = 1_500.0
    /// The range of Es/N0 in which a share is searched for, in decibels.
    private static let searchedDecibels = -40.0...80.0

    /// The channel of one symbol.
    package let channel: OrthogonalToneChannel
    /// n, the number of symbols.
    package let symbolCount: Int
    /// k, the number of bits.
    package let bitCount: Int

    /// Draws the noise from which C and V follow.
    /// - Parameters:
    ///   - toneCount: M, 2 or more.
    ///   - symbolCount: n, 1 or more.
    ///   - bitCount: k, 1 or more.
    ///   - fading: the fading of single symbols.
    ///   - knowsPhase: whether the decoder knows the phases of the tones; not with fading.
    ///   - seed: the seed of the draws.
    package init(
        toneCount: Int, symbolCount: Int, bitCount: Int, fading: OrthogonalToneChannel.Fading = .none,
        knowsPhase: Bool = false, seed: UInt64 = 1
    ) {
        self.init(
            channel: OrthogonalToneChannel(toneCount: toneCount, fading: fading, knowsPhase: knowsPhase, seed: seed),
            symbolCount: symbolCount, bitCount: bitCount)
    }

    /// The bound for a channel whose noise has been drawn.
    package init(channel: OrthogonalToneChannel, symbolCount: Int, bitCount: Int) {
        precondition(symbolCount >= 1 && bitCount >= 1, "\(bitCount) bits in \(symbolCount) symbols")
        self.channel = channel
        self.symbolCount = symbolCount
        self.bitCount = bitCount
    }

    /// ε, the share of frames lost, 0 ... 1.
    /// - Parameter esN0Decibels: the energy of a symbol over the noise power in one hertz.
    package func errorShare(esN0Decibels: Double) -> Double {
        let information = channel.information(esN0Decibels: esN0Decibels)
        let n = Double(symbolCount)
        let excessBits = n * information.capacityBits + 0.5 * .log2(n) - Double(bitCount)
        let deviation = (n * information.dispersionBitsSquared).squareRoot()
        let share = deviation > 0 ? 0.5 * .erfc(excessBits / deviation / 2.0.squareRoot()) : excessBits >= 0 ? 0 : 1
        return max(share, minimumErrorShare)
    }

    /// ε, the share of frames lost, 0 ... 1.
    /// - Parameters:
    ///   - snrDecibels: power of the sine over the noise in 1,500 Hz.
    ///   - symbolSeconds: T.
    package func errorShare(snrDecibels: Double, symbolSeconds: Double) -> Double {
        errorShare(esN0Decibels: snrDecibels + Self.gainDecibels(symbolSeconds))
    }

    /// The Es/N0 at which the best code decodes a share of frames, with an error of 0.001 dB; nil if no code does, or
    /// if it is outside −40 ... 80 dB.
    /// - Parameter successShare: 1 − ε, above 0 and below 1.
    package func esN0Decibels(atSuccess successShare: Double) -> Double? {
        precondition(successShare > 0 && successShare < 1, "a share of \(successShare) is never or always reached")
        var (low, high) = (Self.searchedDecibels.lowerBound, Self.searchedDecibels.upperBound)
        guard errorShare(esN0Decibels: high) <= 1 - successShare, errorShare(esN0Decibels: low) > 1 - successShare
        else { return nil }
        while high - low > 0.001 {
            let middle = (low + high) / 2
            if errorShare(esN0Decibels: middle) > 1 - successShare { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }

    /// The SNR at which the best code decodes a share of frames; nil if no code does.
    /// - Parameters:
    ///   - successShare: 1 − ε, above 0 and below 1.
    ///   - symbolSeconds: T.
    package func snrDecibels(atSuccess successShare: Double, symbolSeconds: Double) -> Double? {
        esN0Decibels(atSuccess: successShare).map { $0 - Self.gainDecibels(symbolSeconds) }
    }

    /// 1 − Mⁿ/2ᵏ.
    private var minimumErrorShare: Double {
        max(0, 1 - .exp2(Double(symbolCount) * .log2(Double(channel.toneCount)) - Double(bitCount)))
    }

    /// Es/N0 over SNR.
    private static func gainDecibels(_ symbolSeconds: Double) -> Double {
        precondition(symbolSeconds > 0, "symbols of \(symbolSeconds) s")
        return 10 * .log10(referenceHertz * symbolSeconds)
    }
}
