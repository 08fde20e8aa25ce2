import EarshotCoding

/// When one token leaves the air and the next appears, so that the time does not reveal that they belong to one device.
///
///     from a change at 0:   the old one ends at U(0, 1) s,   the new one begins at U(1, 2) s
///
/// The two times do not depend on each other. If several devices change at the same moment, as those of a service do,
/// the order does not reveal it either. A silence of 2 s is shorter than the patience of each device that hears the old
/// token.
///
/// A token that comes back is already linked to this device: the tokens of several publications take turns.
struct TokenChange {
    /// The maximum of each of the two times.
    static let spread = Duration.seconds(1)
    /// The maximum number of remembered tokens.
    private static let maximumCount = 64

    private var sent: [Payload] = []

    /// Takes the next token.
    /// - Returns: the times from now at which the old token ends and the new one begins; nil for at once, because there
    ///   is no old one, or the new one is already known.
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
