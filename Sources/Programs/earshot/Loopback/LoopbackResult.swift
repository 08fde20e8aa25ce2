import EarshotLoopback

/// A report together with the request.
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

    /// The total length of the dropouts in seconds, as far as the devices report it.
    var droppedSeconds: Double { report.dropouts.reduce(0) { $0 + ($1.seconds ?? 0) } }

    /// Twice the standard deviation, but not less than the last printed digit can show, in ppm.
    static func uncertaintyPPM(_ clock: ClockDifference) -> Double {
        max(2 * clock.deviationPPM, 0.1)
    }
}
