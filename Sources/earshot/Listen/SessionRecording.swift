import EarshotAudio
import EarshotConsole

/// `--record`: what a session hears goes to a file, with silence where something was missing.
final class SessionRecording {
    private var recorder: WAVRecorder?
    private var fileCount = 1
    private let channelCount: Int

    /// Creates the file, in the precision of the device.
    init(path: String, format: DeviceFormat, replacesExisting: Bool) throws {
        let precision: SampleFormat =
            switch format.encoding {
            case .s16: .s16
            case .s24, .s24packed, .s32: .s24
            case .f32: .f32
            }
        channelCount = format.channelCount
        do throws(AudioError) {
            recorder = try WAVRecorder(
                path: path, sampleRateHertz: format.sampleRateHertz, channelCount: format.channelCount,
                format: precision, replacesExisting: replacesExisting)
        } catch {
            throw Failure(writing: error)
        }
    }

    /// Writes a block. Listening goes on where writing does not.
    func take(_ block: CaptureBlock, _ samples: Span<Float>, _ note: (String) -> Void) {
        guard var recorder = recorder.take() else { return }
        do throws(AudioError) {
            if block.droppedFrameCount > 0 { try recorder.writeSilence(frameCount: block.droppedFrameCount) }
        } catch {
            note("recording: \(error)")
        }
        do throws(AudioError) {
            try recorder.write(samples)
        } catch {
            note("recording: \(error) Listening goes on without it.")
        }
        if recorder.files.count > fileCount, let file = recorder.files.last {
            fileCount = recorder.files.count
            note("recording goes on in \(file.escapedForTerminal)")
        }
        self.recorder = consume recorder
    }

    /// Completes the file.
    func finish() throws {
        guard let recorder = recorder.take() else { return }
        do throws(AudioError) {
            try recorder.finish()
        } catch {
            throw Failure(writing: error)
        }
    }
}
