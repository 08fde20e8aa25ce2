import EarshotLoopback

/// The SNR at which 90 % of tokens are decoded, and the curve around it.
struct SensitivityScan: Codable {
    struct Point: Codable {
        var snrDecibels: Double
        var tally: PeerTally
    }

    static let share = 0.9
    /// Below this range no modem decodes, and no modem needs more.
    static let rangeDecibels = -24...36

    /// The SNR at which the share of decoded tokens crosses 90 %; nil if it does not below the range's end.
    private(set) var snrDecibels: Double?
    /// The SNRs at which the ends of the shares' 95 % intervals cross 90 %; nil with fewer than 35
    /// trials, too few for a lower end above 90 %.
    private(set) var lowDecibels: Double?
    private(set) var highDecibels: Double?
    /// The points from the weakest signal to the strongest.
    private(set) var points: [Point] = []

    /// Halves the range with few trials until it is 2 dB wide, then goes up and down from there in small steps.
    /// - Parameters:
    ///   - step: the distance of the fine points, in decibels.
    ///   - mostSteps: the maximum number of steps beyond the threshold, for the interval's ends.
    ///   - trialCount: the number of trials at every fine point.
    ///   - body: sends the given number of tokens at an SNR.
    init(step: Double, mostSteps: Int, trialCount: Int, _ body: (Double, Int) throws -> PeerTally) rethrows {
        let coarseCount = min(24, trialCount)
        var (low, high) = (Double(Self.rangeDecibels.lowerBound), Double(Self.rangeDecibels.upperBound))
        while high - low > 2 {
            let middle = ((low + high) / 2).rounded()
            if try body(middle, coarseCount).share >= Self.share { high = middle } else { low = middle }
        }
        var tallies: [Int: PeerTally] = [:]
        func tally(_ index: Int) throws -> PeerTally {
            if let known = tallies[index] { return known }
            let made = try body(Double(index) * step, trialCount)
            tallies[index] = made
            return made
        }
        let first = Int(Double(Self.rangeDecibels.lowerBound) / step)
        let last = Int(Double(Self.rangeDecibels.upperBound) / step)
        // Continues until even the lower end of the interval is above 90 %, and even the upper end below it.
        var top = Int((high / step).rounded())
        while try top < last && tally(top).share < Self.share { top += 1 }
        let enough = min(top + mostSteps, last)
        // If all of a few trials decode, a higher SNR shows no more.
        while try top < enough && tally(top).interval.low < Self.share && tally(top).share < 1 { top += 1 }
        var bottom = top
        while try bottom > first && tally(bottom).share >= Self.share { bottom -= 1 }
        let least = max(bottom - mostSteps, first)
        while try bottom > least && tally(bottom).interval.high >= Self.share { bottom -= 1 }

        points = tallies.sorted { $0.key < $1.key }.map { Point(snrDecibels: Double($0.key) * step, tally: $0.value) }
        let crossing = CurveCrossing(
            share: Self.share,
            points: points.map {
                CurveCrossing.Point(
                    snrDecibels: $0.snrDecibels, successCount: $0.tally.decoded, trialCount: $0.tally.sent)
            })
        snrDecibels = crossing?.snrDecibels
        lowDecibels = crossing?.lowDecibels
        highDecibels = crossing?.highDecibels
    }
}
