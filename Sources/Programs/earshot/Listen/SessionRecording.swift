import EarshotAudio
import EarshotConsole
import EarshotSoundConsole
import EarshotSystem

/// `--record`: the sound of a session in a file, with silence in place of every gap.
final class SessionRecording {
    /// The paths of the files so far.
    private(set) var files: [String]
    /// The sound in the files, gaps included.
    private(set) var secondsWritten = 0.0
    /// Whether writing failed, and the rest of the session was not recorded.
    private(set) var hasFailed = false
    /// The precision of the files.
    let format: SampleFormat

    private var recorder: WAVRecorder?

    /// Creates the file, in the precision of the device.
    init(path: FilePath, format: DeviceFormat, replacesExisting: Bool) throws {
        let precision: SampleFormat =
            switch format.encoding {
            case .s16: .s16
            case .s24, .s24packed, .s32: .s24
            case .f32: .f32
            }
        self.format = precision
        do throws(AudioError) {
            recorder = try WAVRecorder(
                path: path, sampleRateHertz: format.sampleRateHertz, channelCount: format.channelCount,
                format: precision, replacesExisting: replacesExisting)
            files = recorder?.files ?? []
        } catch {
            throw Failure(writing: error)
        }
    }

    /// Writes a block. Listening continues when writing fails.
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
            note("recording: \(error) Listening continues without it.")
        }
        if recorder.files.count > files.count, let file = recorder.files.last {
            files = recorder.files
            note("recording continues in \(file.escapedForTerminal)")
        }
        secondsWritten = recorder.secondsWritten
        hasFailed = !recorder.isRecording
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
