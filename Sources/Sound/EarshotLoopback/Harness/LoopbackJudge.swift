import EarshotCoding
import EarshotModem

/// Matches frames to tokens.
///
/// A frame is a token if it has the token's payload and profile, and was heard while the token was on the air. The first such
/// frame is the token's; further ones are duplicates. All other frames are wrong: never sent, or not sent then.
struct LoopbackJudge {
    /// The token of a frame, and whether it had been heard before.
    enum Judgement: Equatable {
        case decoded(sendingIndex: Int)
        case duplicate(sendingIndex: Int)
        case wrong
    }

    /// Clocks differ by at most a few hundred ppm, which one sweep alone does not show.
    private static let maximumDrift = 0.001
    /// Seconds by which a dropout of unknown length may move a token.
    private static let unknownDropoutSeconds = 0.5

    /// One judgement for each frame; shape [recording.heard.count].
    let judgements: [Judgement]

    /// Judges all frames of a recording.
    /// - Parameter alignment: nil if the place of the program is unknown; then no frame counts as a token.
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
            // Half a frame: far longer than any echo, and too short for a repetition.
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
