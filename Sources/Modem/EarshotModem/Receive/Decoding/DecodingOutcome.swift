/// The outcome of an attempt to decode a frame.
enum DecodingOutcome {
    /// The attempt decoded a frame.
    case decoded(DecodedFrame)
    /// There is no more than noise has.
    case likeNoise
    /// Every path was refused.
    case refused(Refusal)
    /// There seems to be a frame, hidden by noise, a room or the tones of others. The iterative decoder has not tried it yet.
    case disturbed(logRatio: Float)
}

/// Why a path was refused. Of several paths the one that came furthest gives the reason.
enum Refusal: Comparable {
    /// The evidence speaks against the path, or too much of the frame was lost; the CRC was not looked at.
    case evidence
    /// The CRC does not match.
    case check
    /// The CRC matches, but the evidence or a decoy speaks against the path.
    case evidenceDespiteCheck
}

/// What paths through the trellis came to, and the work that they took.
struct PathResult {
    /// The frame that a path belongs to, or why all paths were refused.
    var outcome: Outcome
    var work: DecodingWork

    enum Outcome {
        case decoded(DecodedFrame)
        case refused(Refusal)
    }

    static func decoded(_ frame: DecodedFrame) -> PathResult { PathResult(outcome: .decoded(frame), work: .zero) }
    static func refused(_ refusal: Refusal) -> PathResult { PathResult(outcome: .refused(refusal), work: .zero) }
    /// No path yet.
    static let none = PathResult.refused(.evidence)

    /// Whether the evidence speaks against the path, whatever its CRC is.
    var isRefusedByEvidence: Bool {
        if case .refused(let refusal) = outcome { refusal != .check } else { false }
    }

    /// Adds another path to the same frame.
    /// - Returns: whether the frame is decoded.
    mutating func add(_ other: PathResult) -> Bool {
        work += other.work
        switch (outcome, other.outcome) {
        case (.decoded, _): return true
        case (.refused, .decoded):
            outcome = other.outcome
            return true
        case (.refused(let refusal), .refused(let another)):
            outcome = .refused(max(refusal, another))
            return false
        }
    }
}
