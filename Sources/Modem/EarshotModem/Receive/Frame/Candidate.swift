/// A place in time and frequency at which a frame may start.
struct Candidate: Equatable {
    /// The frame's first sample, as a baseband index.
    var start: Double
    /// How far the tones lie above their places, in hertz.
    var offsetHertz: Float
    /// The evidence: the sum over sync tones of limited energy over noise; about 8 for noise.
    var score: Float
    /// The sync tones' log-likelihood over the loudest tones', 0 ... 1; see `SyncCheck`. At first measured on the search's
    /// grid.
    var dominance: Float = 0
    /// How much each channel counts.
    var shares = ChannelShares.alone(0)
    /// log2 of the noise's level in each sync tone's symbol, in the channel that counts most; 0 where it was that of the floor. The
    /// floor may have changed since: after digital silence it rises by tens of decibels.
    var noiseLevels = SIMD8<Float>()

    /// Whether another candidate is less than half a symbol and about half a tone spacing away: only one of them is a frame.
    func isNear(_ other: Candidate, _ format: BasebandFormat) -> Bool {
        abs(start - other.start) < Double(format.samplesPerSymbol) / 2
            && abs(offsetHertz - other.offsetHertz) < Float(0.6 * format.profile.toneSpacingHertz)
    }
}

extension [Candidate] {
    /// Appends a candidate; if there are already `maximumCount` from index `first` on, it replaces the weakest of them.
    mutating func keepBest(_ candidate: Candidate, from first: Int, maximumCount: Int) {
        guard count - first >= maximumCount else { return append(candidate) }
        var weakest = first
        for index in first..<count where self[index].score < self[weakest].score {
            weakest = index
        }
        if self[weakest].score < candidate.score {
            self[weakest] = candidate
        }
    }
}
