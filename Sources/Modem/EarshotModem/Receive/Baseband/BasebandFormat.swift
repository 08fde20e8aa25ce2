import EarshotCoding
import EarshotDSP

/// A profile's signal in the common baseband: the band's centre at zero, sampled at twice the band's width.
///
/// One baseband serves all profiles that share a band: a symbol of M tones has 2·M samples there.
struct BasebandFormat {
    /// The number of baseband samples that are processed at a time; a power of two, at most the longest hop and at
    /// least the shortest.
    static let quantum = 32

    let profile: Profile

    /// Baseband samples a second.
    static func rateHertz(_ profile: Profile) -> Int { Int(2 * profile.bandwidthHertz) }

    var rateHertz: Int { BasebandFormat.rateHertz(profile) }
    /// N: samples in a symbol.
    var samplesPerSymbol: Int { 2 * profile.toneCount }
    /// N of the profile with the longest symbols.
    static func longestSymbol(_ profiles: [Profile]) -> Int {
        profiles.map { BasebandFormat(profile: $0).samplesPerSymbol }.max() ?? 0
    }
    /// The frequency of tone m without offset, in cycles a sample: (m − M/2 + ½)/N.
    func cyclesPerSample(tone m: Int) -> Float {
        (Float(m - profile.toneCount / 2) + 0.5) / Float(samplesPerSymbol)
    }
    /// An offset of the whole band, in cycles a sample.
    func cyclesPerSample(offsetHertz: Float) -> Float {
        offsetHertz / Float(rateHertz)
    }
    /// The maximum offset that the search covers, in half tone spacings, rounded up.
    var maximumOffsetHalfSpacings: Int {
        let hertz = profile.maximumOffset * profile.centreHertz
        return Int((2 * hertz / profile.toneSpacingHertz).rounded(.up))
    }
    /// The maximum usual offset, of a walking person and of clocks, in half tone spacings, rounded up: 0.5 %.
    var usualOffsetHalfSpacings: Int {
        Int((2 * 0.005 * profile.centreHertz / profile.toneSpacingHertz).rounded(.up))
    }
    /// The largest change of the offset of someone who walks past at 1.4 m/s, 1 m away: v²/(c·d)·19,250 Hz = 110 Hz a second, and a
    /// little more.
    private static let walkHertzPerSecond = 115.0
    /// The maximum difference in frequency between the two groups of sync tones, in half tone spacings, when a person
    /// walks past (`walkHertzPerSecond`): 0 in `fast`, 1 in `standard`, 4 in `far`, a multiple of
    /// `driftStepHalfSpacings`.
    var maximumDriftHalfSpacings: Int { Int(fullDriftHalfSpacings) / driftStepHalfSpacings * driftStepHalfSpacings }
    /// The distance between the searched drifts: half a tone spacing, or a whole one if there are many. With half ones
    /// `far` finds 1.5 % more frames of people who walk past at −10 dB, and noise takes 5 % more instructions.
    var driftStepHalfSpacings: Int { fullDriftHalfSpacings < 2 ? 1 : 2 }
    /// The drift at `walkHertzPerSecond`: 0.3, 1.4 and 5.4.
    private var fullDriftHalfSpacings: Double {
        let hertz = BasebandFormat.walkHertzPerSecond * Double(FrameLayout.secondSyncGroupPlace) * profile.symbolSeconds
        return 2 * hertz / profile.toneSpacingHertz
    }
    /// The minimum score of a candidate, see `SyncSearch`, and of a refined one, see `CandidateRefinement`.
    ///
    /// In white noise, at the tone energy over noise at which half of the frames can be decoded (1,000 frames, 600 s of
    /// noise):
    ///
    /// | profile | E/N | found | candidates a second in noise | refined |
    /// |---|---|---|---|---|
    /// | `fast` | 6.8 dB | 99.5 % | 0.8 | 0.2 |
    /// | `standard` | 5.6 dB | 98.2 % | 2.5 | 1.9 |
    /// | `far` | 5.9 dB | 98.8 % | 2.2 | 1.7 |
    ///
    /// With few tones a code needs more energy per tone, so the search can require more.
    var minimumSearchScore: Float { profile.toneCount < 32 ? 9.3 : 9 }
    var minimumRefinedScore: Float { profile.toneCount < 32 ? 9.4 : 8.65 }
    /// Below this score a refined candidate of one channel needs sync tones in phase, see `StillDecoder.coherence`;
    /// with several channels candidates below it are not refined.
    var minimumIncoherentScore: Float { profile.toneCount < 32 ? 9.75 : 8.65 }
    /// The length of a symbol in samples when tones are `offsetHertz` above their places: N / (1 + offset/centre).
    /// Doppler and clock error squeeze time by the same factor.
    func symbolLength(offsetHertz: Float) -> Double {
        Double(samplesPerSymbol) / (1 + Double(offsetHertz) / profile.centreHertz)
    }
}
