/// Finds unreported holes in playback: a sound server that runs dry plays silence and continues.
///
///     l = t − p/F
///
/// where p frames had left the device at time t. While playback runs, l stays constant (to 0.5 ms through PulseAudio,
/// on a busy machine too); a hole increases l by its length. The detector follows slow changes, in which two clocks
/// drift apart.
struct HoleDetector {
    /// The minimum hole found, in seconds. A tenth of the shortest frame's symbol would not disturb a decoder, two
    /// symbols do.
    static let thresholdSeconds = 0.02
    /// The share of a change that one look follows: at 20 looks a second, half a second's worth.
    private static let followedShare = 0.1
    /// The time in which a sound server settles on its latency after a stream's start, in seconds.
    private static let settlingSeconds = 0.4

    private var beginSeconds: Double?
    private var lagSeconds: Double?
    private var suspicions = 0

    /// Compares the played time with the clock.
    /// - Returns: the length of a new hole in seconds, or nil.
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
        // One look may be delayed; a hole persists into the next.
        suspicions += 1
        guard suspicions > 1 else { return nil }
        suspicions = 0
        lagSeconds = lag
        return excess > 0 ? excess : nil
    }
}
