/// Limits the work of decoding: sound that no decoder can read must not stop a listener.
///
/// The receiver has no clock, so it counts nominal microseconds (`DecodingWork`). Every second of sound adds `workOfSecond`, up
/// to `maximum`, and every attempt takes what it cost. With much left the receiver makes every attempt. Below
/// `scarce` second looks are brief: a tenth of the work finds two thirds of the frames. Below `reserve` it makes only first
/// looks, and with nothing left none: attempts wait, the likeliest are made first, and those whose samples leave the history
/// are rejected.
///
/// Ten talkers without a pause need 22 ms a second, and a crowd of ten that speaks once 100 ms at once. Before there was a
/// budget, five streams of `fast` sync patterns over each other took 870 ms a second.
struct DecodingBudget {
    /// The share of the time that decoding may take: 28 ms of a second, on a core on which `DecodingWork` holds.
    static let workOfSecond = DecodingWork(microseconds: 28_000)
    /// The work that may be saved up.
    static let maximum = DecodingWork(microseconds: 300_000)
    /// What second looks leave for first ones.
    static let reserve = DecodingWork(microseconds: 25_000)

    /// With less than this left, second looks are brief.
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

    /// Adds what `sampleCount` samples of baseband allow.
    mutating func add(sampleCount: Int) {
        leftMicroseconds = min(
            leftMicroseconds + microsecondsPerSample * Double(sampleCount), DecodingBudget.maximum.microseconds)
    }

    /// Fills the budget, for the attempts that wait when the input ends.
    mutating func fill() {
        leftMicroseconds = DecodingBudget.maximum.microseconds
    }

    /// Takes what an attempt cost; the last one may overdraw the budget.
    mutating func spend(_ work: DecodingWork) {
        leftMicroseconds -= work.microseconds
    }
}
