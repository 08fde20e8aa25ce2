/// Tells from the level of the band whether the air is busy.
///
///     busy when  level > min over the last ten minutes + 7 dB
///
/// The quietest 50 ms of 10 minutes are 1 to 2 dB below the mean of the noise (75 numbers, standard deviation 0.5 dB,
/// the minimum of thousands), so a sound 5 dB above the noise counts, as in simulated rooms. The memory is ten minutes,
/// because a room with constant talk must not count as noise. Interference that begins later counts as busy for as long
/// as it lasts.
struct BusyBand: Sendable {
    private static let aboveQuietestDecibels = 7.0
    /// The memory: the quietest level of each of the last ten minutes, the latest last.
    private static let stretchCount = 10
    private static let stretchSeconds = 60.0

    private var quietest: [Double] = []
    private var stretchEndSeconds = -Double.infinity

    /// Takes a level.
    /// - Returns: whether the band is busy.
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
