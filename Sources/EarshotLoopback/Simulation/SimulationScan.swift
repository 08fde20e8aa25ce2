/// Finds where the curve of a scene falls, for whoever does not know which signal-to-noise ratios to ask for.
///
/// Walks down in large steps with few trials, until next to nothing is decoded. What lies between that and where the share
/// stops growing is worth points half a decibel to two apart; the top of the walk says how it goes on.
package struct SimulationScan: Sendable {
    /// From where, and down to where, at most.
    package static let widestRange = -24.0...36.0
    private static let coarseStep = 4.0
    private static let trialCount = 40
    private static let slack = 0.06
    private static let least = 0.02
    private static let largestPointCount = 32

    /// The points worth measuring, rising by `step`; nil when cancelled.
    package static func points(of simulation: Simulation, onProgress: @escaping @Sendable (Double) -> Void) -> [Double]?
    {
        var order = simulation.order
        order.trialCount = trialCount
        order.leastTrialCount = trialCount
        order.precision = 0
        guard let coarse = try? Simulation(order) else { return nil }
        var shares: [(snr: Double, share: Double)] = []
        var snr = widestRange.upperBound
        while snr >= widestRange.lowerBound {
            onProgress((widestRange.upperBound - snr) / (widestRange.upperBound - widestRange.lowerBound))
            guard !simulation.isCancelled, let point = coarse.point(snrDecibels: snr) else { return nil }
            shares.append((snr, point.decodedShare))
            if point.decodedShare <= least { break }
            snr -= coarseStep
        }
        let most = shares.reduce(0) { max($0, $1.share) }
        let lowest = shares[shares.count - 1].snr
        // Down to here nothing was lost that forty trials can tell.
        guard let highest = shares.prefix(while: { $0.share >= most - slack }).last?.snr, highest > lowest else {
            return shares.map(\.snr).reversed()
        }
        let step = [0.5, 1, 2].first { (highest - lowest) / $0 < Double(largestPointCount) } ?? coarseStep
        let fine = stride(from: lowest, through: highest, by: step).map { $0 }
        return highest < widestRange.upperBound ? fine + [widestRange.upperBound] : fine
    }
}
