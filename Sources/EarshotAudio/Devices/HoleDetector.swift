/// Holes in what is played that nobody reports: a sound server that runs dry plays silence and goes on.
///
///     l = t − p/F
///
/// where p frames had left the device at time t: l stays as it is while all goes well (to 0.5 ms through PulseAudio, on a
/// busy machine too), and grows by a hole's length. Slow changes are two clocks drifting apart and are followed.
struct HoleDetector {
    /// The shortest hole found. A tenth of the shortest frame's symbol would not matter to a decoder, two symbols do.
    static let thresholdSeconds = 0.02
    /// The share of a change that is followed at once: at 20 looks a second half a second's worth.
    private static let followedShare = 0.1
    /// A sound server settles on its latency after a stream's start, and says so late.
    private static let settlingSeconds = 0.4

    private var beginSeconds: Double?
    private var lagSeconds: Double?
    private var suspicions = 0

    /// Looks again.
    /// - Returns: the length of the hole that was found, in seconds, or nil.
    mutating func look(playedSeconds: Double, nowSeconds: Double) -> Double? {
        let lag = nowSeconds - playedSeconds
        let begin = beginSeconds ?? nowSeconds
        beginSeconds = begin
        guard let expected = lagSeconds, nowSeconds - begin > HoleDetector.settlingSeconds else {
            lagSeconds = lag
            return nil
        }
        let excess = lag - expected
        if abs(excess) < HoleDetector.thresholdSeconds {
            suspicions = 0
            lagSeconds = expected + HoleDetector.followedShare * excess
            return nil
        }
        // One look may come at a bad moment; a hole stays.
        suspicions += 1
        guard suspicions > 1 else { return nil }
        suspicions = 0
        lagSeconds = lag
        return excess > 0 ? excess : nil
    }
}
