import EarshotCoding

/// When one token leaves the air and the next appears, so that the time does not tell that they are of one device.
///
///     from a change at 0:   the old one ends at U(0, 1) s,   the new one begins at U(1, 2) s
///
/// The two times do not depend on each other. If several devices change in one moment, as those of a service do, neither does who
/// is first. Silence of 2 s is less than the patience of each device that hears the old one.
///
/// A token that comes back is known to be this device's: the tokens of several publications take turns.
struct TokenChange {
    /// The longest time for each of the two.
    static let spread = Duration.seconds(1)
    /// The maximum number of tokens that are remembered.
    private static let maximumCount = 64

    private var sent: [Payload] = []

    /// Takes the next token.
    /// - Returns: until when, from now on, the old token stays, and when the new one begins; nil for at once, because there is no
    ///   old one, or the new one is no secret.
    mutating func next(
        _ token: Payload, using generator: inout some RandomNumberGenerator
    ) -> (end: Duration, begin: Duration)? {
        let isFirst = sent.isEmpty
        guard !sent.contains(token) else { return nil }
        sent.append(token)
        if sent.count > Self.maximumCount { sent.removeFirst() }
        guard !isFirst else { return nil }
        let end = Self.spread * Double.random(in: 0..<1, using: &generator)
        return (end, Self.spread * (1 + Double.random(in: 0..<1, using: &generator)))
    }
}
