import EarshotCoding
public import EarshotModem

/// The lengths that who talks has to agree on with who else talks.
///
///     slot = spread + token + guard
///
/// Talkers of one slot begin within its spread: a receiver tells them apart by when their sync patterns begin. Behind the
/// last one there is time to decode what was heard, so that the next slot can answer it.
public struct TalkTiming: Sendable, Equatable {
    /// How long a token is on the air.
    public var tokenSeconds: Double
    /// Within so long talkers of one slot begin.
    public var spreadSeconds: Double
    /// From the latest end of a token to the next slot: decoding, and handing sound to the device.
    public var guardSeconds: Double

    /// See the properties of the same names.
    public init(tokenSeconds: Double, spreadSeconds: Double, guardSeconds: Double) {
        precondition(tokenSeconds > 0 && spreadSeconds > 0 && guardSeconds >= 0, "slots of no length")
        self.tokenSeconds = tokenSeconds
        self.spreadSeconds = spreadSeconds
        self.guardSeconds = guardSeconds
    }

    /// That of a profile's tokens.
    public init(_ profile: Profile) {
        self.init(
            tokenSeconds: profile.frameSeconds(payloadByteCount: Payload.tokenCount), spreadSeconds: 0.2,
            guardSeconds: 0.15)
    }

    /// How long a slot is.
    public var slotSeconds: Double { spreadSeconds + tokenSeconds + guardSeconds }
}
