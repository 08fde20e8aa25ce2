import EarshotLive

/// The levels of a session in steps of half a decibel. It needs the same memory after a week as after a minute.
struct LevelHistogram {
    private static let stepsPerDecibel = 2.0

    private var counts: [Int: Int] = [:]
    private var reportCount = 0
    /// The loudest sample, dBFS; nil before the first report.
    private(set) var peakDecibels: Double?

    mutating func add(_ level: LevelReport) {
        counts[Int((level.bandDecibels * Self.stepsPerDecibel).rounded()), default: 0] += 1
        reportCount += 1
        peakDecibels = max(peakDecibels ?? level.peakDecibels, level.peakDecibels)
    }

    /// The level in 18.5 to 20 kHz that a share of the reports does not exceed, dBFS; nil before the first report.
    /// - Parameter share: 0 is the quietest report, 1 the loudest.
    func bandDecibels(share: Double) -> Double? {
        guard reportCount > 0 else { return nil }
        let place = min(Int(share * Double(reportCount)), reportCount - 1)
        var passed = 0
        for (step, count) in counts.sorted(by: { $0.key < $1.key }) {
            passed += count
            if passed > place { return Double(step) / Self.stepsPerDecibel }
        }
        return nil
    }
}
