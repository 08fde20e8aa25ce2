import EarshotSystem
import Synchronization
import TestSupport

@testable import EarshotAudio

/// Records the monitor of a card on a thread of its own: the samples and their times.
final class CardRecording: Sendable {
    private struct State {
        var samples: [Float] = []
        /// The monotonic time of the end of the last frame.
        var endNanoseconds: Int64 = 0
        var droppedFrameCount = 0
    }

    let microphone: Microphone
    private let state = Mutex(State())
    private let worker = Worker()

    init(_ card: SoundCard, encoding: DeviceEncoding? = nil) throws {
        microphone = try Microphone(
            DeviceRequest(card.captureName, sampleRateHertz: 48_000, channelCount: 1, encoding: encoding))
        worker.start { [self] in
            while microphone.next(milliseconds: 200, { keep($0, $1) }) || !microphone.isStopped {}
        }
    }

    private func keep(_ block: CaptureBlock, _ samples: Span<Float>) {
        state.withLock { state in
            for index in samples.indices { state.samples.append(samples[index]) }
            state.droppedFrameCount += block.droppedFrameCount
            if block.frameCount > 0 { state.endNanoseconds = block.endNanoseconds }
        }
    }

    /// Waits until `seconds` more are recorded.
    func grow(by seconds: Double) throws {
        let goal = count + Int(seconds * 48_000)
        let deadline = MonotonicTime.nanoseconds + Int64((seconds + 20) * 1e9)
        while count < goal {
            guard MonotonicTime.nanoseconds < deadline else {
                throw SoundCard.Trouble(description: "\(count) samples are recorded instead of \(goal)")
            }
            MonotonicTime.sleep(seconds: 0.01)
        }
    }

    private var count: Int { state.withLock { $0.samples.count } }

    /// Ends the recording.
    /// - Returns: the samples, the time of the end of the last one, and the number of missing frames.
    func finish() -> (samples: [Float], endNanoseconds: Int64, droppedFrameCount: Int) {
        microphone.stop()
        worker.waitForEnd(seconds: 5)
        return state.withLock { ($0.samples, $0.endNanoseconds, $0.droppedFrameCount) }
    }
}
