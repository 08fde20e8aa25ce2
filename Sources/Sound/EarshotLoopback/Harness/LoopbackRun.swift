package import EarshotModem
import Synchronization

/// A running test. The medium reports the played and recorded sound and the frames to it, from any thread.
///
/// It stores only the data for the judgement: the two stretches of sound with the sweeps, the level of the last
/// seconds, the departure of each token, and the frames. So an hour takes no more memory than a minute, except for 100
/// bytes a token.
package final class LoopbackRun: Sendable {
    /// The program that is played.
    package let program: LoopbackProgram
    /// Whether the test should end early.
    package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    private struct State: ~Copyable {
        var departures: DepartureTimes
        var level: BandLevel
        var opening: RecordedWindow
        var closing: RecordedWindow
        var recordedCount = 0
        /// The number of samples recorded when playback began.
        var recordedBefore: Int?
        var heard: [KeptFrame] = []
        var unkeptFrameCount = 0
        var dropouts: [LoopbackDropout] = []
    }

    /// The maximum delay from playing a sweep to hearing it: these seconds, and this share of the program for clock
    /// differences.
    private static let slackSeconds = 3.0
    private static let slackShare = 0.001
    /// The seconds of recording before playback in which a sweep is searched for.
    private static let longestLeadSeconds = 30.0

    private let cancelled = Atomic(false)
    private let state: Mutex<State>
    private let onProgress: @Sendable (Double) -> Void

    /// A new test.
    /// - Parameter onProgress: receives the share that is done, 0 ... 1, occasionally on the thread of the medium.
    package init(_ program: LoopbackProgram, onProgress: @escaping @Sendable (Double) -> Void = { _ in }) {
        self.program = program
        self.onProgress = onProgress
        let lead = Int(Self.longestLeadSeconds * Double(program.sampleRateHertz))
        state = Mutex(
            State(
                departures: DepartureTimes(program), level: BandLevel(sampleRateHertz: program.sampleRateHertz),
                opening: RecordedWindow(0..<lead), closing: RecordedWindow(Int.max..<Int.max)))
    }

    /// Ends the test early. May be called at any time, from any thread.
    package func cancel() {
        cancelled.store(true, ordering: .relaxed)
    }

    /// The player reports that at `seconds`, by a clock of its choice, the first `sampleCount` samples of the program
    /// had been played: zero when playback begins, then once a block, and all of them at the end.
    package func left(_ sampleCount: Int, atSeconds seconds: Double) {
        state.withLock { state in
            state.departures.note(sampleCount, atSeconds: seconds)
            guard state.recordedBefore == nil else { return }
            state.recordedBefore = state.recordedCount
            let slack = Int(
                Self.slackSeconds * Double(program.sampleRateHertz) + Self.slackShare * Double(program.sampleCount))
            let opening = program.openingSweep.upperBound + state.recordedCount
            let closing = program.closingSweep.lowerBound + state.recordedCount
            state.opening.wanted = 0..<opening + slack
            state.closing.wanted = max(0, closing - slack)..<closing + program.openingSweep.count + slack
        }
    }

    /// The recorder passes the next samples, at the program's rate. Silence replaces lost ones.
    package func recorded(_ samples: Span<Float>) {
        state.withLock { state in
            let start = state.recordedCount
            state.opening.append(samples, from: start)
            state.closing.append(samples, from: start)
            state.level.push(samples)
            state.recordedCount += samples.count
        }
    }

    /// The recorder reports a frame at `seconds`, by the clock of `left`, after it has passed the frame's samples. The
    /// frame's `startSample` counts `recorded` samples.
    package func received(_ frame: ReceivedFrame, atSeconds seconds: Double) {
        state.withLock { state in
            // Bounds the memory if other devices send many tokens, which would be wrong anyway.
            guard state.heard.count < 4 * program.sendings.count + 1_000 else {
                state.unkeptFrameCount += 1
                return
            }
            let level = state.level.decibels(over: frame.startSample..<max(frame.startSample, frame.endSample))
            state.heard.append(KeptFrame(frame: frame, atSeconds: seconds, levelDecibels: level))
        }
    }

    /// The player or the recorder reports missing sound.
    package func dropped(_ dropout: LoopbackDropout) {
        state.withLock { state in
            if state.dropouts.count < 10_000 { state.dropouts.append(dropout) }
        }
    }

    /// The medium reports the share of the whole that is done, 0 ... 1.
    package func progressed(to fraction: Double) {
        onProgress(fraction)
    }

    /// The recording, after the medium has returned.
    package func report() -> LoopbackReport {
        let recording = state.withLock { state in
            LoopbackRecording(
                program: program, isCancelled: isCancelled, leftCount: state.departures.sampleCount,
                departureSeconds: state.departures.seconds, opening: state.opening, closing: state.closing,
                recordedBefore: state.recordedBefore ?? 0, heard: state.heard,
                unkeptFrameCount: state.unkeptFrameCount, dropouts: state.dropouts)
        }
        return LoopbackReport(judging: recording)
    }
}
