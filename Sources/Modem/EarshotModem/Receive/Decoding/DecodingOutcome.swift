/// The outcome of an attempt to decode a frame.
enum DecodingOutcome {
    /// The attempt decoded a frame.
    case decoded(DecodedFrame)
    /// There is only noise.
    case likeNoise
    /// Every path was refused.
    case refused(Refusal)
    /// There seems to be a frame, hidden by noise, a room or the tones of others. The iterative decoder has not tried it yet.
    case disturbed(logRatio: Float)
}

/// The reason why a path was refused. With several paths it is that of the one that came furthest.
enum Refusal: Comparable {
    /// The evidence is against the path, or too much of the frame was lost; the CRC was not checked.
    case evidence
    /// The CRC does not match.
    case check
    /// The CRC matches, but the evidence or a decoy is against the path.
    case evidenceDespiteCheck
}

/// The result of paths through the trellis, and their work.
struct PathResult {
    /// The decoded frame, or the reason why all paths were refused.
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

    /// Whether the evidence is against the path, regardless of its CRC.
    var isRefusedByEvidence: Bool {
        if case .refused(let refusal) = outcome { refusal != .check } else { false }
    }

    /// Adds another path of the same frame.
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
