/// Limits the work of decoding, so that undecodable sound cannot block a listener.
///
/// The receiver has no clock, so it counts nominal microseconds (`DecodingWork`). Every second of sound adds
/// `workOfSecond`, up to `maximum`, and every attempt subtracts its cost. Above `scarce` the receiver makes every
/// attempt. Below it second attempts are brief: a tenth of the work finds two thirds of the frames. Below `reserve` it
/// makes only first attempts, and with an exhausted budget none: attempts wait, the likeliest are made first, and those
/// whose samples leave the history are rejected.
///
/// Ten talkers without pauses need 22 ms per second, and a crowd of ten that speaks once needs 100 ms at once. Without
/// a budget, five overlapping streams of `fast` sync patterns took 870 ms per second.
struct DecodingBudget {
    /// The time that decoding may take per second: 28 ms, on a core on which `DecodingWork` holds.
    static let workOfSecond = DecodingWork(microseconds: 28_000)
    /// The maximum work that can accumulate.
    static let maximum = DecodingWork(microseconds: 300_000)
    /// The work reserved for first attempts.
    static let reserve = DecodingWork(microseconds: 25_000)

    /// Below this budget, second attempts are brief.
    static let scarce = DecodingWork(microseconds: 50_000)

    private let microsecondsPerSample: Double
    private var leftMicroseconds = maximum.microseconds

    init(basebandRateHertz: Int) {
        microsecondsPerSample = DecodingBudget.workOfSecond.microseconds / Double(basebandRateHertz)
    }

    /// The costliest attempt that the budget allows.
    var costliestAttempt: Attempt.Look {
        if leftMicroseconds > DecodingBudget.scarce.microseconds { return .second }
        if leftMicroseconds > DecodingBudget.reserve.microseconds { return .brief }
        return leftMicroseconds > 0 ? .first : .syncCheck
    }

    /// Adds the work that `sampleCount` samples of baseband allow.
    mutating func add(sampleCount: Int) {
        leftMicroseconds = min(
            leftMicroseconds + microsecondsPerSample * Double(sampleCount), DecodingBudget.maximum.microseconds)
    }

    /// Fills the budget, for the attempts that wait when the input ends.
    mutating func fill() {
        leftMicroseconds = DecodingBudget.maximum.microseconds
    }

    /// Subtracts the cost of an attempt; the last one may overdraw the budget.
    mutating func spend(_ work: DecodingWork) {
        leftMicroseconds -= work.microseconds
    }
}
