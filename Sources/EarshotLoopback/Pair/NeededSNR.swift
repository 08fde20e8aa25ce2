import EarshotModem

/// The SNR at which 90 % of tokens are decoded, from docs/BENCHMARKS.md.
struct NeededSNR {
    /// In white noise.
    var noiseDecibels: Double
    /// In white noise and the echo of a large room: RT60 0.3 s, direct-to-reverberant ratio −6 dB.
    var roomDecibels: Double

    private static let table: [String: NeededSNR] = [
        "fast": NeededSNR(noiseDecibels: -5.2, roomDecibels: 8.3),
        "standard": NeededSNR(noiseDecibels: -8.3, roomDecibels: -1.2),
        "far": NeededSNR(noiseDecibels: -11.0, roomDecibels: -6.2),
    ]

    /// The largest share of tones that may be lost.
    static let largestLostToneShare = 0.15

    /// Nil where too many tones are lost for any SNR to do, or nothing was measured of the profile.
    static func of(_ profile: Profile, lostToneShare: Double) -> NeededSNR? {
        lostToneShare <= largestLostToneShare ? table[profile.name] : nil
    }
}
