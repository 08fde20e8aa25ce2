import RealModule

/// A property of a pair that prevents tokens from arriving, or may do so.
package enum PairProblem: Sendable, Equatable {
    /// The lost part of a profile.
    package struct LostTones: Sendable, Equatable {
        /// The profile's name.
        package var profileName: String
        /// The number of lost tones.
        package var count: Int
        /// The number of tones.
        package var toneCount: Int
    }

    /// The recording contains only zeros.
    case silence
    /// The recording contains sound but no sweep. The level is that of the sound between 17 kHz and the end of the
    /// sweep, in dBFS.
    case notHeard(levelDecibels: Double)
    /// The sweep arrives weakly, at the given level. `missing` decibels more would suffice.
    case tooQuiet(receivedLevelDecibels: Double, missingDecibels: Double)
    /// The noise in the band is loud, at the given level; it would have to be `missing` decibels quieter.
    case noisy(noiseLevelDecibels: Double, missingDecibels: Double)
    /// The sound that arrives is clipped.
    case clipping(fullScaleShare: Double, flatTopShare: Double)
    /// No sound passes above a frequency, which is in the band or below it.
    case cutOff(hertz: Double, lostTones: [LostTones])
    /// Parts of the band arrive weakly, though nothing cuts them off: the difference of the worst and the best bin, and the worst.
    case uneven(rippleDecibels: Double, worstHertz: Double, lostTones: [LostTones])

    /// A short name, for programs.
    package var name: String {
        switch self {
        case .silence: "silence"
        case .notHeard: "not_heard"
        case .tooQuiet: "too_quiet"
        case .noisy: "noisy"
        case .clipping: "clipping"
        case .cutOff: "cut_off"
        case .uneven: "uneven"
        }
    }
}

extension PairProblem: CustomStringConvertible {
    /// The problem and its remedy, in a sentence or two.
    package var description: String {
        switch self {
        case .silence:
            "The microphone delivers nothing but zeros. It is muted or switched off, or it is the wrong device."
        case .notHeard(let level):
            "The sweep did not arrive; the microphone heard \(level.rounded(decimals: 0)) dBFS above 17 kHz. "
                + "Check that the loudspeaker is not muted, that sound goes to the right device, and that no filter for "
                + "speech (noise suppression, echo cancelling) is on."
        case .tooQuiet(let received, let missing):
            "The sweep arrives at \(received.rounded(decimals: 0)) dBFS, \(missing.rounded(decimals: 1)) dB too quiet. "
                + "Turn the loudspeaker or the microphone up, or bring them closer."
        case .noisy(let noise, let missing):
            "There is noise of \(noise.rounded(decimals: 0)) dBFS in the band, \(missing.rounded(decimals: 1)) dB too "
                + "much. Move away from what makes it, or play louder."
        case .clipping(let fullScale, let flatTop):
            "\((100 * max(fullScale, flatTop)).rounded(decimals: 1)) % of the samples are clipped. "
                + "Turn the microphone down, or the loudspeaker."
        case .cutOff(let hertz, _):
            "Tones above \((hertz / 1_000).rounded(decimals: 1)) kHz are lost: something cuts them off. Use another device, "
                + "a sample rate of 48000 Hz throughout, or a better resampler."
        case .uneven(let ripple, let worst, _):
            "The response varies by \(ripple.rounded(decimals: 0)) dB over the band and is worst at "
                + "\((worst / 1_000).rounded(decimals: 1)) kHz. Turn the loudspeaker towards the microphone, or move one of them."
        }
    }
}

extension Double {
    /// The number with a fixed count of decimals, as text.
    fileprivate func rounded(decimals: Int) -> String {
        guard isFinite, magnitude < 1e9 else { return "\(self)" }
        let scale = Double.pow(10, decimals)
        let digits = Int((magnitude * scale).rounded())
        let sign = self < 0 && digits > 0 ? "−" : ""
        guard decimals > 0 else { return sign + "\(digits)" }
        let (whole, rest) = digits.quotientAndRemainder(dividingBy: Int(scale))
        let padding = String(repeating: "0", count: decimals - "\(rest)".count)
        return "\(sign)\(whole).\(padding)\(rest)"
    }
}
