/// Whether the sound of now will still be there when a talk begins: talks are decided ahead of their begin.
///
/// At that time the talkers of the slot before may still be heard, and will be silent in time. Only a token that began too late for
/// their slots reaches into the next one.
///
///     t < t₀ + token − 0.1 s,   t₀ = begin of the sound
package struct SoundAhead: Sendable {
    /// How late the begin of a sound may be noticed, seconds.
    private static let noticeSeconds = 0.1

    private let tokenSeconds: Double
    /// t₀; nil in silence.
    private var beginSeconds: Double?

    /// - Parameter tokenSeconds: the length of a token on the air; above 0.
    package init(tokenSeconds: Double) {
        self.tokenSeconds = tokenSeconds
    }

    /// Takes whether the band is busy at a moment.
    package mutating func take(isBusy: Bool, atSeconds seconds: Double) {
        beginSeconds = isBusy ? beginSeconds ?? seconds : nil
    }

    /// Takes a moment of the own token, in which nothing else is heard. What sounds after it most likely began with it.
    package mutating func takeOwn(beginSeconds: Double) {
        self.beginSeconds = beginSeconds
    }

    /// Whether the sound reaches to a moment.
    package func lasts(toSeconds seconds: Double) -> Bool {
        beginSeconds.map { seconds < $0 + tokenSeconds - Self.noticeSeconds } ?? false
    }
}
