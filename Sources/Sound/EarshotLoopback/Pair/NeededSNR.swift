import EarshotModem

/// The effective SNR at which 90 % of tokens are decoded, from docs/BENCHMARKS.md, *Waterfalls* and `room-b` of *Sensitivity*.
struct NeededSNR {
    /// In white noise.
    var noiseDecibels: Double
    /// In white noise and the echo of a large room: RT60 0.3 s, direct-to-reverberant ratio −6 dB.
    var roomDecibels: Double
    /// The maximum share of lost tones in that room, beyond which tokens are lost at any SNR. Measured at 25 dB (docs/loopback.md): `fast`
    /// decodes 98 % with 6 % of its tones lost and 91 % with 13 %, `standard` 98 % with 16 %, `far` 99 % with 19 %.
    var maximumLostToneShareInRoom: Double

    private static let table: [String: NeededSNR] = [
        "fast": NeededSNR(noiseDecibels: -6.5, roomDecibels: 2.0, maximumLostToneShareInRoom: 0.1),
        "standard": NeededSNR(noiseDecibels: -9.6, roomDecibels: -4.0, maximumLostToneShareInRoom: 0.16),
        "far": NeededSNR(noiseDecibels: -12.4, roomDecibels: -7.8, maximumLostToneShareInRoom: 0.2),
    ]

    /// The maximum share of lost tones without echo. With up to 38 % of them lost all tokens decode at 25 dB of white noise, with half of
    /// them 91 to 98 % (docs/loopback.md); a third leaves a margin of one tone of `fast`.
    static let maximumLostToneShare = 1.0 / 3

    /// The needed SNR in decibels, infinite for the room if too many tones are lost or weak for it; nil if too many are lost for any SNR,
    /// or the profile was not measured.
    ///
    /// A steady fall of 20 dB over the band, whose unevenness costs 3.3 dB, lets `fast` decode 84 % in the room at 25 dB, and costs
    /// `standard` 3.7 dB more there than in noise alone (docs/loopback.md).
    static func of(_ profile: Profile, lostToneShare: Double, unevennessDecibels: Double = 0) -> NeededSNR? {
        guard lostToneShare <= maximumLostToneShare, var needed = table[profile.name] else { return nil }
        if lostToneShare > needed.maximumLostToneShareInRoom
            || unevennessDecibels > PairVerdict.maximumUnevennessDecibels
        {
            needed.roomDecibels = .infinity
        }
        return needed
    }
}
