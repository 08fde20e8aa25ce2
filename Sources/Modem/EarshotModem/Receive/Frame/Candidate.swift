import EarshotCoding

/// A place in time and frequency at which a frame may start.
struct Candidate: Equatable {
    /// The frame's first sample, as a baseband index.
    var start: Double
    /// The offset of the tones above their places, in hertz; if they drift, that in the middle of the sync pattern.
    var offsetHertz: Float
    /// The difference between the offsets of the second and the first group of sync tones, in hertz.
    var driftHertz: Float = 0
    /// The evidence: the sum over sync tones of limited energy over noise; about 8 for noise.
    var score: Float
    /// The sync tones' log-likelihood over the loudest tones', 0 ... 1; see `SyncCheck`. At first measured on the search's
    /// grid.
    var dominance: Float = 0
    /// The share of each channel.
    var shares = ChannelShares.alone(0)
    /// log2 of the noise's level in each sync tone's symbol, in the channel with the highest share; 0 if it was that of
    /// the floor. The floor may have changed since: after digital silence it rises by tens of decibels.
    var noiseLevels = SIMD8<Float>()

    /// Whether its second group of sync tones is higher or lower than the first.
    var isDrifting: Bool { driftHertz != 0 }

    /// The offset of a symbol's tones above their places, in hertz: linear within the sync pattern, constant after it.
    func offsetHertz(atSymbol symbol: Int) -> Float {
        let last = FrameLayout.syncSpanToneCount - 1
        let symbols = Float(min(symbol, last)) - 0.5 * Float(last)
        return offsetHertz + driftHertz * symbols / Float(FrameLayout.secondSyncGroupPlace)
    }

    /// The offset of the first group of sync tones on the search's grid, in half spacings.
    func firstHalfSpacings(_ format: BasebandFormat) -> Int {
        Int(((offsetHertz - driftHertz / 2) * 2 / Float(format.profile.toneSpacingHertz)).rounded())
    }

    /// The drift on the search's grid, in half spacings.
    func driftHalfSpacings(_ format: BasebandFormat) -> Int {
        Int((driftHertz * 2 / Float(format.profile.toneSpacingHertz)).rounded())
    }

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
