/// Whether the present sound will still be there when a talk begins: talks are decided ahead of their start.
///
/// At the decision, the talkers of the previous slot may still be heard, but will be silent in time. Only a token that
/// began too late for its slot reaches into the next one.
///
///     t < t₀ + token − 0.1 s,   t₀ = begin of the sound
package struct SoundAhead: Sendable {
    /// The maximum delay in noticing the start of a sound, seconds.
    private static let noticeSeconds = 0.1

    private let tokenSeconds: Double
    /// t₀; nil in silence.
    private var beginSeconds: Double?

    /// - Parameter tokenSeconds: the length of a token on the air; above 0.
    package init(tokenSeconds: Double) {
        self.tokenSeconds = tokenSeconds
    }

    /// Notes whether the band is busy at a moment.
    package mutating func take(isBusy: Bool, atSeconds seconds: Double) {
        beginSeconds = isBusy ? beginSeconds ?? seconds : nil
    }

    /// Notes a moment of the own token, during which no other sound is heard. A sound after it most likely began with
    /// it.
    package mutating func takeOwn(beginSeconds: Double) {
        self.beginSeconds = beginSeconds
    }

    /// Whether the sound lasts until a moment.
    package func lasts(toSeconds seconds: Double) -> Bool {
        beginSeconds.map { seconds < $0 + tokenSeconds - Self.noticeSeconds } ?? false
    }
}
