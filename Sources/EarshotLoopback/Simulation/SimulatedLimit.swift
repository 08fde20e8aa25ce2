public import EarshotModem

/// The SNR at which a scene decodes a share of its frames, searched for with as few trials as that takes.
///
/// A rough scan finds where the curve falls; then points half a decibel apart are measured until the share is crossed
/// between two of them with another one on either side.
public struct SimulatedLimit: Sendable {
    /// Where; nil where a scan saw nothing decoded.
    public let crossing: CurveCrossing?
    /// All trials that were made on the way, roughly measured ones too.
    public let tally: AirTally
    /// The points near the crossing, rising.
    public let points: [SimulationPoint]

    private static let stepDecibels = 0.5
    private static let roughStepDecibels = 2.0
    private static let roughTrialCount = 60
    private static let largestPointCount = 24

    /// - Parameters:
    ///   - share: above 0 and below 1.
    ///   - trialCount: of each point near the crossing.
    ///   - highestDecibels: above this the scene is given up.
    public init(
        of order: SimulationOrder, share: Double, highestDecibels: Double = 36
    ) throws(ModemError) {
        let simulation = try Simulation(order)
        var rough = order
        rough.trialCount = min(order.trialCount, Self.roughTrialCount)
        rough.leastTrialCount = rough.trialCount
        let scan = try Simulation(rough)
        var tally = AirTally()
        // Downwards, because what decodes nothing takes the longest walk, and is rare.
        var edge: Double?
        var snr = highestDecibels
        while snr >= SimulationScan.widestRange.lowerBound, let point = scan.point(snrDecibels: snr) {
            tally.add(point.tally)
            if point.decodedShare >= share { edge = snr } else if edge != nil { break }
            // Where even the highest decodes nothing, 8 dB less do not either.
            if edge == nil, snr < highestDecibels - 8 { break }
            snr -= Self.roughStepDecibels
        }
        guard let edge else {
            crossing = nil
            self.tally = tally
            points = []
            return
        }
        var points: [SimulationPoint] = []
        var next = edge - Self.stepDecibels
        while points.count < Self.largestPointCount, let point = simulation.point(snrDecibels: next) {
            tally.add(point.tally)
            points.append(point)
            points.sort { $0.snrDecibels < $1.snrDecibels }
            let below = points.count { $0.decodedShare < share }
            let above = points.count - below
            if below >= 2, above >= 2 { break }
            let goesDown = below < 2 && (above >= 2 || below == 0)
            next =
                goesDown
                ? points[0].snrDecibels - Self.stepDecibels
                : points[points.count - 1].snrDecibels + Self.stepDecibels
            if next > highestDecibels + 2 { break }
        }
        self.points = points
        self.tally = tally
        crossing = CurveCrossing(share: share, points: points.map(\.crossingPoint))
    }
}
