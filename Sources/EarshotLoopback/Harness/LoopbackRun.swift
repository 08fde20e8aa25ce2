package import EarshotModem
import Synchronization

/// One test while it goes on: where a medium tells what it played and heard. Any thread may.
///
/// Keeps what the judgement needs and nothing else: the two stretches of sound with the sweeps, the level of the last
/// seconds, when each token left, and the frames. So an hour takes no more memory than a minute, but for 100 bytes a
/// token.
package final class LoopbackRun: Sendable {
    /// What is played.
    package let program: LoopbackProgram
    /// True once the test is to end early.
    package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    private struct State: ~Copyable {
        var departures: DepartureTimes
        var level: BandLevel
        var opening: RecordedWindow
        var closing: RecordedWindow
        var recordedCount = 0
        /// What had been recorded when playback began.
        var recordedBefore: Int?
        var heard: [KeptFrame] = []
        var unkeptFrameCount = 0
        var dropouts: [LoopbackDropout] = []
    }

    /// How much later than played a sweep may be heard, and how much earlier by two clocks that differ by as many ppm.
    private static let slackSeconds = 3.0
    private static let slackShare = 0.001
    /// A capture that runs so long before playback begins is no longer looked at.
    private static let longestLeadSeconds = 30.0

    private let cancelled = Atomic(false)
    private let state: Mutex<State>
    private let onProgress: @Sendable (Double) -> Void

    /// A test at its beginning.
    /// - Parameter onProgress: is told now and then how much is done, 0 ... 1, on the thread of the medium.
    package init(_ program: LoopbackProgram, onProgress: @escaping @Sendable (Double) -> Void = { _ in }) {
        self.program = program
        self.onProgress = onProgress
        let lead = Int(Self.longestLeadSeconds * Double(program.sampleRateHertz))
        state = Mutex(
            State(
                departures: DepartureTimes(program), level: BandLevel(sampleRateHertz: program.sampleRateHertz),
                opening: RecordedWindow(0..<lead), closing: RecordedWindow(Int.max..<Int.max)))
    }

    /// Ends the test early. May be called at any time.
    package func cancel() {
        cancelled.store(true, ordering: .relaxed)
    }

    /// From whoever plays: at `seconds` of a clock of their choice the first `sampleCount` samples of the program had
    /// left. Zero when playback begins, then once a block, and all of it at the end.
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

    /// From whoever records: the next samples, at the program's rate. Silence stands where some were lost.
    package func recorded(_ samples: Span<Float>) {
        state.withLock { state in
            let start = state.recordedCount
            state.opening.append(samples, from: start)
            state.closing.append(samples, from: start)
            state.level.push(samples)
            state.recordedCount += samples.count
        }
    }

    /// From whoever records: a frame, when it was known by the clock of `left`, and after the samples in which it is.
    /// Its `startSample` counts what was `recorded`.
    package func received(_ frame: ReceivedFrame, atSeconds seconds: Double) {
        state.withLock { state in
            // Whatever others send: memory stays bounded, and too much is wrong anyway.
            guard state.heard.count < 4 * program.sendings.count + 1_000 else {
                state.unkeptFrameCount += 1
                return
            }
            let level = state.level.decibels(over: frame.startSample..<max(frame.startSample, frame.endSample))
            state.heard.append(KeptFrame(frame: frame, atSeconds: seconds, levelDecibels: level))
        }
    }

    /// From either: some sound is missing.
    package func dropped(_ dropout: LoopbackDropout) {
        state.withLock { state in
            if state.dropouts.count < 10_000 { state.dropouts.append(dropout) }
        }
    }

    /// From either: how much of the whole is done, 0 ... 1.
    package func progressed(to fraction: Double) {
        onProgress(fraction)
    }

    /// What it came to, once the medium has returned.
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
