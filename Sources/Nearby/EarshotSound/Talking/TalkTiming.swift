import EarshotCoding
public import EarshotModem

/// The durations on which all talkers must agree.
///
///     slot = spread + token + guard
///
/// Talkers of one slot begin within its spread: a receiver distinguishes them by the starts of their sync patterns. The
/// guard separates slots if sound travels farther, or if devices do not know their own delays exactly.
public struct TalkTiming: Sendable, Equatable {
    /// The length of a token on the air, seconds; above 0.
    public var tokenSeconds: Double
    /// The seconds within which the talkers of one slot begin; above 0.
    public var spreadSeconds: Double
    /// The seconds from the latest end of a token to the next slot.
    public var guardSeconds: Double

    /// Sets the properties of the same names.
    public init(tokenSeconds: Double, spreadSeconds: Double, guardSeconds: Double) {
        precondition(tokenSeconds > 0 && spreadSeconds > 0 && guardSeconds >= 0, "slots of no length")
        self.tokenSeconds = tokenSeconds
        self.spreadSeconds = spreadSeconds
        self.guardSeconds = guardSeconds
    }

    /// The durations for the tokens of a profile.
    public init(_ profile: Profile) {
        self.init(
            tokenSeconds: profile.frameSeconds(payloadByteCount: Payload.tokenCount), spreadSeconds: 0.2,
            guardSeconds: 0.05)
    }

    /// The length of a slot, seconds.
    public var slotSeconds: Double { spreadSeconds + tokenSeconds + guardSeconds }
}
