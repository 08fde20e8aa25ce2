import EarshotLoopback

/// A report, and what was asked for.
struct LoopbackResult {
    let report: LoopbackReport
    let program: LoopbackProgram
    let via: LoopbackRoute
    let medium: String
    let levelDecibels: Double
    let requiredPercent: Double

    var isPassed: Bool { report.isPassed(requiredShare: requiredPercent / 100) }

    func isPassed(_ profile: LoopbackProfileReport) -> Bool {
        profile.isPassed(requiredShare: requiredPercent / 100)
    }

    /// How long the dropouts were, as far as the devices say.
    var droppedSeconds: Double { report.dropouts.reduce(0) { $0 + ($1.seconds ?? 0) } }

    /// Twice the standard deviation, and what the last digit printed can say.
    static func uncertaintyPPM(_ clock: ClockDifference) -> Double {
        max(2 * clock.deviationPPM, 0.1)
    }
}
