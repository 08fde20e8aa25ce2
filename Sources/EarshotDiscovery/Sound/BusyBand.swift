/// Whether something is on the air, by how loud the band is.
///
///     busy when  level > min over the last ten minutes + 7 dB
///
/// The quietest 50 ms of 10 minutes lie 1 to 2 dB below the noise's mean (75 numbers, standard deviation 0.5 dB, the least of
/// thousands), so that 5 dB above noise counts, as in simulated rooms. Ten minutes, because a room that talks all the time
/// must not become its own noise; an interferer that begins later stands out for as long as it is there.
struct BusyBand: Sendable {
    private static let aboveQuietestDecibels = 7.0
    /// The memory: so many stretches of a minute, the latest last, each with its quietest level.
    private static let stretchCount = 10
    private static let stretchSeconds = 60.0

    private var quietest: [Double] = []
    private var stretchEndSeconds = -Double.infinity

    /// Takes a level in.
    /// - Returns: whether it is something.
    mutating func take(_ levelDecibels: Double, atSeconds: Double) -> Bool {
        guard levelDecibels.isFinite else { return false }
        if atSeconds >= stretchEndSeconds {
            quietest.append(levelDecibels)
            if quietest.count > Self.stretchCount { quietest.removeFirst() }
            stretchEndSeconds = atSeconds + Self.stretchSeconds
        }
        let last = quietest.count - 1
        quietest[last] = min(quietest[last], levelDecibels)
        return levelDecibels > (quietest.min() ?? levelDecibels) + Self.aboveQuietestDecibels
    }
}
