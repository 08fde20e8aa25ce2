package import EarshotLoopback
package import EarshotModem

/// The SNR at which a scene decodes a share of its frames, found with as few trials as possible.
///
/// A few trials at points 12 dB apart bracket the crossing, halving narrows the bracket to 1.5 dB, and then the order's trials
/// measure points half a decibel apart, until two are on either side.
package struct SimulatedLimit: Sendable {
    /// The crossing; nil if the share is not reached below `highestDecibels`.
    package let crossing: CurveCrossing?
    /// The maximum share at any SNR so far, 0 ... 1.
    package let bestShare: Double
    /// The count of all trials of the search.
    package let tally: AirTally
    /// The points near the crossing, in rising order.
    package let points: [SimulationPoint]

    /// The SNR above which the search gives up.
    package static let highestDecibels = 36.0
    private static let roughSteps = 5
    private static let roughStepDecibels = 12.0
    private static let narrowestDecibels = 1.5
    private static let stepDecibels = 0.5
    private static let roughTrialCount = 60
    private static let maximumPointCount = 16

    /// Searches for the crossing.
    /// - Parameters:
    ///   - order: gives the trials of each point near the crossing.
    ///   - share: above 0 and below 1.
    /// - Throws: `ModemError` if the scene cannot be sent or received.
    package init(of order: SimulationOrder, share: Double) throws(ModemError) {
        var rough = order
        rough.trialCount = min(order.trialCount, Self.roughTrialCount)
        rough.minimumTrialCount = rough.trialCount
        let (roughly, well) = (try Simulation(rough), try Simulation(order))
        var tally = AirTally()
        var bestShare = 0.0
        func measure(_ snrDecibels: Double, _ simulation: Simulation) -> SimulationPoint? {
            let point = simulation.point(snrDecibels: snrDecibels)
            if let point {
                tally.add(point.tally)
                bestShare = max(bestShare, point.decodedShare)
            }
            return point
        }
        var points: [SimulationPoint] = []
        // Upwards: if a stronger signal lowers the share, the first crossing counts.
        var low = Self.highestDecibels - Double(Self.roughSteps) * Self.roughStepDecibels
        var high = low
        while let point = measure(high, roughly), point.decodedShare < share, high < Self.highestDecibels {
            (low, high) = (high, high + Self.roughStepDecibels)
        }
        while high - low > Self.narrowestDecibels, let point = measure((low + high) / 2, roughly) {
            if point.decodedShare < share { low = point.snrDecibels } else { high = point.snrDecibels }
        }
        var next: Double? = (2 * high).rounded() / 2
        while let snr = next, points.count < Self.maximumPointCount, let point = measure(snr, well) {
            points.append(point)
            points.sort { $0.snrDecibels < $1.snrDecibels }
            next = Self.nextPoint(points, share)
        }
        self.points = points
        self.tally = tally
        self.bestShare = bestShare
        let crossing = CurveCrossing(share: share, points: points.map(\.crossingPoint))
        self.crossing = crossing?.snrDecibels == nil ? nil : crossing
    }

    /// The next point to measure; nil once two points are on either side, or at the end of the range.
    private static func nextPoint(_ points: [SimulationPoint], _ share: Double) -> Double? {
        let aboveCount = points.count { $0.decodedShare >= share }
        let belowCount = points.count - aboveCount
        guard aboveCount < 2 || belowCount < 2 else { return nil }
        let next =
            aboveCount >= 2 || aboveCount > belowCount
            ? points[0].snrDecibels - stepDecibels : points[points.count - 1].snrDecibels + stepDecibels
        return next <= highestDecibels + 1 ? next : nil
    }
}
