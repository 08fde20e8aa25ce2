import EarshotModem

/// What to expect of one profile through a pair.
package struct ProfileOutlook: Sendable, Equatable {
    /// What will come of tokens.
    package enum Expectation: String, Sendable, CaseIterable {
        /// Nearly all arrive, in a large room too.
        case works
        /// Nearly all arrive where there is little echo.
        case worksWithoutEcho = "works_without_echo"
        /// Too few arrive.
        case fails
    }

    /// The profile's name.
    package var profileName: String
    /// What a receiver will say of a token.
    package var expectedSNRDecibels: Double
    /// The same less what ripple and lost tones cost.
    package var effectiveSNRDecibels: Double
    /// Tones that carry next to nothing.
    package var lostToneCount: Int
    /// Tones there are.
    package var toneCount: Int
    /// How far the effective SNR is above what 90 % of tokens need in noise alone; −∞ where too many tones are lost.
    package var marginDecibels: Double
    /// The same with the echo of a large room. Where a room's ripple was measured it counts twice, 1 dB too much.
    package var echoMarginDecibels: Double
    /// What will come of tokens.
    package var expectation: Expectation

    /// What is asked of a margin before a profile is said to work: 90 % become 98 % within
    /// 0.8 dB (docs/BENCHMARKS.md), the measurement may be 1.5 dB off, and the rest is for what moves.
    package static let neededMarginDecibels = 3.0

    /// The outlook of a profile for tokens played at a level.
    init(_ profile: Profile, report: PairReport, tokenLevelDecibels: Double) {
        profileName = profile.name
        toneCount = profile.toneCount
        lostToneCount = report.lostTones(profile).count
        expectedSNRDecibels = report.expectedSNRDecibels(sentLevelDecibels: tokenLevelDecibels)
        effectiveSNRDecibels = report.effectiveSNRDecibels(sentLevelDecibels: tokenLevelDecibels)
        let needed = NeededSNR.of(profile, lostToneShare: Double(lostToneCount) / Double(toneCount))
        marginDecibels = effectiveSNRDecibels - (needed?.noiseDecibels ?? .infinity)
        echoMarginDecibels = effectiveSNRDecibels - (needed?.roomDecibels ?? .infinity)
        expectation =
            echoMarginDecibels >= ProfileOutlook.neededMarginDecibels
            ? .works : marginDecibels >= ProfileOutlook.neededMarginDecibels ? .worksWithoutEcho : .fails
    }
}
