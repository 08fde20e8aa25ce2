import ArgumentParser
import EarshotAudio
import EarshotConsole
import EarshotDiscovery
import EarshotSound
import EarshotSoundConsole

/// The sound devices and the loudness, for every command that sends and hears tokens.
struct SoundArguments: ParsableArguments {
    @OptionGroup var capture: CaptureOptions

    @Option(help: ArgumentHelp("The playback PCM. It has the same sample rate.", valueName: "pcm"))
    var playback: String?

    @OptionGroup var loudness: LevelOption

    func validate() throws {
        _ = try playbackRequest
    }

    private var playbackRequest: DeviceRequest {
        get throws(ValidationError) {
            try .argument(device: playback ?? "default", option: "--playback", rate: capture.rate, channels: nil)
        }
    }

    /// The medium on these devices.
    var mediumOptions: SoundMedium.Options {
        var options = SoundMedium.Options(capture: capture.device ?? "default", playback: playback ?? "default")
        options.capture.sampleRateHertz = capture.rate
        options.capture.channelCount = capture.channels
        options.playback.sampleRateHertz = capture.rate
        options.levelDecibels = loudness.level
        return options
    }
}
