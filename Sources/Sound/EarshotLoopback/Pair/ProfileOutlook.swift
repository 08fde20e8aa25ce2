import EarshotModem

/// The expected success of one profile through a pair.
package struct ProfileOutlook: Sendable, Equatable {
    /// The expected share of tokens.
    package enum Expectation: String, Sendable, CaseIterable {
        /// Nearly all arrive, in a large room too.
        case works
        /// Nearly all arrive if there is little echo.
        case worksWithoutEcho = "works_without_echo"
        /// Too few arrive.
        case fails
    }

    /// The profile's name.
    package var profileName: String
    /// The SNR that a receiver will report for a token, in decibels.
    package var expectedSNRDecibels: Double
    /// The same less the cost of ripple and lost tones.
    package var effectiveSNRDecibels: Double
    /// The number of lost tones.
    package var lostToneCount: Int
    /// The number of tones.
    package var toneCount: Int
    /// How far the effective SNR is above the SNR at which 90 % of tokens decode in noise alone; −∞ if too many tones are lost.
    package var marginDecibels: Double
    /// The same with the echo of a large room; −∞ if too many tones are lost or weak for it. If a room's ripple was
    /// measured it counts twice, 1 dB too much.
    package var echoMarginDecibels: Double
    /// The expected success.
    package var expectation: Expectation

    /// The margin at which a profile is expected to work, in decibels: 90 % become 98 % within 0.8 dB in noise, and 98 to 99.7 %
    /// within 3 dB in room B (docs/loopback.md); the measurement may be 0.5 dB too high, and the rest is for motion.
    package static let neededMarginDecibels = 3.0

    /// The outlook of a profile for tokens played at a level.
    init(_ profile: Profile, report: PairReport, tokenLevelDecibels: Double) {
        profileName = profile.name
        toneCount = profile.toneCount
        lostToneCount = report.lostTones(profile).count
        expectedSNRDecibels = report.expectedSNRDecibels(sentLevelDecibels: tokenLevelDecibels)
        effectiveSNRDecibels = report.effectiveSNRDecibels(sentLevelDecibels: tokenLevelDecibels)
        let needed = NeededSNR.of(
            profile, lostToneShare: Double(lostToneCount) / Double(toneCount),
            unevennessDecibels: report.band.unevennessDecibels)
        marginDecibels = effectiveSNRDecibels - (needed?.noiseDecibels ?? .infinity)
        echoMarginDecibels = effectiveSNRDecibels - (needed?.roomDecibels ?? .infinity)
        expectation =
            echoMarginDecibels >= ProfileOutlook.neededMarginDecibels
            ? .works : marginDecibels >= ProfileOutlook.neededMarginDecibels ? .worksWithoutEcho : .fails
    }
}
