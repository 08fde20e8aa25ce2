/// Finds the SNRs at which the curve of a scene falls, for a caller that does not know which ones to simulate.
///
/// It walks down in large steps with few trials, until hardly any frame decodes. The range from there to where the
/// share stops growing gets points half a decibel to two apart; the top of the walk shows how the curve continues.
package struct SimulationScan: Sendable {
    /// The maximum and the minimum SNR of the walk, in decibels.
    package static let widestRange = -24.0...36.0
    private static let coarseStep = 4.0
    private static let trialCount = 40
    private static let slack = 0.06
    private static let minimumShare = 0.02
    private static let maximumPointCount = 32

    /// The SNRs worth measuring, in rising order; nil if cancelled.
    package static func points(of simulation: Simulation, onProgress: @escaping @Sendable (Double) -> Void) -> [Double]?
    {
        var order = simulation.order
        order.trialCount = trialCount
        order.minimumTrialCount = trialCount
        order.precision = 0
        guard let coarse = try? Simulation(order) else { return nil }
        var shares: [(snr: Double, share: Double)] = []
        var snr = widestRange.upperBound
        while snr >= widestRange.lowerBound {
            onProgress((widestRange.upperBound - snr) / (widestRange.upperBound - widestRange.lowerBound))
            guard !simulation.isCancelled, let point = coarse.point(snrDecibels: snr) else { return nil }
            shares.append((snr, point.decodedShare))
            if point.decodedShare <= minimumShare { break }
            snr -= coarseStep
        }
        let most = shares.reduce(0) { max($0, $1.share) }
        let lowest = shares[shares.count - 1].snr
        // Down to here forty trials show no loss.
        guard let highest = shares.prefix(while: { $0.share >= most - slack }).last?.snr, highest > lowest else {
            return shares.map(\.snr).reversed()
        }
        let step = [0.5, 1, 2].first { (highest - lowest) / $0 < Double(maximumPointCount) } ?? coarseStep
        let fine = stride(from: lowest, through: highest, by: step).map { $0 }
        return highest < widestRange.upperBound ? fine + [widestRange.upperBound] : fine
    }
}
