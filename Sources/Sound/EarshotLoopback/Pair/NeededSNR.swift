import EarshotModem

/// The effective SNR at which 90 % of tokens are decoded, from docs/BENCHMARKS.md, *Waterfalls* and `room-b` of *Sensitivity*.
struct NeededSNR {
    /// In white noise.
    var noiseDecibels: Double
    /// In white noise and the echo of a large room: RT60 0.3 s, direct-to-reverberant ratio −6 dB.
    var roomDecibels: Double

    private static let table: [String: NeededSNR] = [
        "fast": NeededSNR(noiseDecibels: -6.5, roomDecibels: 2.0),
        "standard": NeededSNR(noiseDecibels: -9.6, roomDecibels: -4.0),
        "far": NeededSNR(noiseDecibels: -12.4, roomDecibels: -7.8),
    ]

    /// The maximum share of lost tones. With up to 38 % of them lost all tokens decode at 25 dB of white noise, with half of them 91 to
    /// 98 % (docs/loopback.md); paths with echo and lost tones were not measured.
    static let maximumLostToneShare = 0.2

    /// The needed SNR in decibels; nil if too many tones are lost for any SNR, or the profile was not measured.
    static func of(_ profile: Profile, lostToneShare: Double) -> NeededSNR? {
        lostToneShare <= maximumLostToneShare ? table[profile.name] : nil
    }
}
