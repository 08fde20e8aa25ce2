/// Limits the work of decoding: sound that no decoder can read must not stop a listener.
///
/// The receiver has no clock, so it counts nominal microseconds (`DecodingWork`). Every second of sound adds `perSecond` of
/// them, up to `maximum`, and every attempt takes what it cost. With much left the receiver makes every attempt. Below
/// `scarce` second looks are brief: a tenth of the work finds two thirds of the frames. Below `reserve` it makes only first
/// looks, and with nothing left none: attempts wait, the likeliest are made first, and those whose samples leave the history
/// are rejected.
///
/// Ten talkers without a pause need 22 ms a second, and a crowd of ten that speaks once 100 ms at once. Before there was a
/// budget, five streams of `fast` sync patterns over each other took 870 ms a second.
struct DecodingBudget {
    /// The share of the time that decoding may take: 28 ms of a second, on a core on which `DecodingWork` holds.
    static let perSecond = 28_000.0
    /// The work that may be saved up.
    static let maximum = 300_000.0
    /// What second looks leave for first ones.
    static let reserve = 25_000.0

    /// With less than this left, second looks are brief.
    static let scarce = 50_000.0

    private let perSample: Double
    private var left = maximum

    init(basebandRateHertz: Int) {
        perSample = DecodingBudget.perSecond / Double(basebandRateHertz)
    }

    /// The dearest look that the budget allows.
    var dearestLook: Attempt.Look {
        if left > DecodingBudget.scarce { return .second }
        return left > DecodingBudget.reserve ? .brief : left > 0 ? .first : .syncCheck
    }

    /// Adds what `sampleCount` samples of baseband allow.
    mutating func add(sampleCount: Int) {
        left = min(left + perSample * Double(sampleCount), DecodingBudget.maximum)
    }

    /// Fills the budget, for the attempts that wait when the input ends.
    mutating func fill() {
        left = DecodingBudget.maximum
    }

    /// Takes what an attempt cost; the last one may overdraw the budget.
    mutating func spend(_ work: Double) {
        left -= work
    }
}

/// The cost of the parts of decoding, in nominal microseconds, for each channel: means over ten talkers and five hostile sounds, on one core of
/// an EPYC with AVX-512. Another core is slower in all of them alike.
enum DecodingWork {
    /// The energies and metrics of a symbol.
    static let symbolEnergies = 0.2
    /// Λ of a symbol, with alignment.
    static let symbolDetection = 0.3
    /// A symbol's share of a walk through the trellis and of the evidence for its path.
    static let symbolAttempt = 0.5
    /// A round of the iterative decoder, for each point of a symbol's transform.
    static let coherentPoint = 3.7 / 256
    /// The refinement of a candidate.
    static let refinement = 4.0
    /// A sync check.
    static let syncCheck = 6.0
    /// The detection and the decoding of a symbol of a burst.
    static let symbolBurst = 2.0
    /// The subtraction of a symbol, and its part in the search that follows.
    static let symbolCancellation = 12.0
}
