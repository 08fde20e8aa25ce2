/// The results of one profile at one level.
package struct LoopbackLevelReport: Sendable, Equatable {
    /// The profile's name.
    package let profileName: String
    /// The level of the tokens over that of the sweeps, in decibels.
    package let stepDecibels: Double
    /// Tokens that were played to their ends.
    package let sentCount: Int
    /// Played tokens that were heard.
    package let decodedCount: Int
    /// The signal-to-noise ratios that the receiver reported for them, in decibels.
    package let snrDecibels: Spread?
}
