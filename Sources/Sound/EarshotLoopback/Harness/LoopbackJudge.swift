import EarshotCoding
import EarshotModem

/// Matches frames to tokens.
///
/// A frame is a token if it has the token's payload and profile, and was heard while the token was on the air. The first such
/// frame is the token's; further ones are duplicates. All other frames are wrong: never sent, or not sent then.
struct LoopbackJudge {
    /// The token that a frame was, and whether it had been heard before.
    enum Judgement: Equatable {
        case decoded(sendingIndex: Int)
        case duplicate(sendingIndex: Int)
        case wrong
    }

    /// Clocks differ by at most a few hundred ppm, and one sweep alone does not show it.
    private static let maximumDrift = 0.001
    /// Seconds by which a dropout of unknown length may move a token.
    private static let unknownDropoutSeconds = 0.5

    /// One judgement for each frame; shape [recording.heard.count].
    let judgements: [Judgement]

    /// Judges all frames of a recording.
    /// - Parameter alignment: nil if nothing shows when the program was heard; then no frame is a token.
    init(_ recording: LoopbackRecording, _ alignment: TimeAlignment?) {
        let program = recording.program
        let indices = Dictionary(grouping: program.sendings.indices) { program.sendings[$0].payload }
        let dropped = recording.dropouts.reduce(0) { $0 + ($1.seconds ?? Self.unknownDropoutSeconds) }
        let droppedSamples = dropped * Double(program.sampleRateHertz)

        func isNear(_ heard: KeptFrame, _ index: Int) -> Bool {
            guard let alignment else { return false }
            let sending = program.sendings[index]
            let start = sending.samples.lowerBound
            let distance = (Double(heard.frame.startSample) - alignment.recordedSample(start)).magnitude
            // Half a frame: far more than any echo, and a repetition cannot come so soon.
            let reach = 0.5 * Double(sending.samples.count)
            return distance <= reach + Self.maximumDrift * Double(start) + droppedSamples
        }

        var isDecoded = [Bool](repeating: false, count: program.sendings.count)
        judgements = recording.heard.map { heard in
            let index = indices[heard.frame.payload]?.first { index in
                program.sendings[index].profile.name == heard.frame.profileName && isNear(heard, index)
            }
            guard let index else { return .wrong }
            guard !isDecoded[index] else { return .duplicate(sendingIndex: index) }
            isDecoded[index] = true
            return .decoded(sendingIndex: index)
        }
    }
}
