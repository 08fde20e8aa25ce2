/// Work of the decoder, in nominal microseconds per channel.
///
/// The costs of its parts are means over ten talkers and five hostile sounds, on one core of an EPYC with AVX-512. On
/// another core all of them change by about the same factor.
struct DecodingWork: AdditiveArithmetic {
    var microseconds: Double

    static let zero = DecodingWork(microseconds: 0)

    /// The energies and metrics of a symbol.
    static let symbolEnergies = DecodingWork(microseconds: 0.2)
    /// Λ of a symbol, with alignment.
    static let symbolDetection = DecodingWork(microseconds: 0.3)
    /// A symbol's share of a walk through the trellis and of the evidence for its path.
    static let symbolAttempt = DecodingWork(microseconds: 0.5)
    /// A symbol's share of the search for a path of offsets.
    static let symbolMotion = DecodingWork(microseconds: 6)
    /// A symbol's share of a round of `StillDecoder`.
    static let symbolStill = DecodingWork(microseconds: 2)
    /// A round of the iterative decoder, for each point of a symbol's transform.
    static let coherentPoint = DecodingWork(microseconds: 3.7 / 256)
    /// The refinement of a candidate.
    static let refinement = DecodingWork(microseconds: 4)
    /// A sync check.
    static let syncCheck = DecodingWork(microseconds: 6)
    /// The detection and the decoding of a symbol of a burst.
    static let symbolBurst = DecodingWork(microseconds: 2)
    /// The subtraction of a symbol, and its part in the search that follows.
    static let symbolCancellation = DecodingWork(microseconds: 12)

    static func + (a: DecodingWork, b: DecodingWork) -> DecodingWork {
        DecodingWork(microseconds: a.microseconds + b.microseconds)
    }

    static func - (a: DecodingWork, b: DecodingWork) -> DecodingWork {
        DecodingWork(microseconds: a.microseconds - b.microseconds)
    }

    static func * (work: DecodingWork, count: Int) -> DecodingWork {
        DecodingWork(microseconds: work.microseconds * Double(count))
    }
}
