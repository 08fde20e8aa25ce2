import ArgumentParser
import EarshotAudio
import EarshotConsole
import EarshotDiscovery

/// The sound devices and the loudness, for every command that sends and hears tokens.
struct SoundArguments: ParsableArguments {
    @Option(help: ArgumentHelp("The capture PCM; 'earshot devices' lists them.", valueName: "pcm"))
    var device: String?

    @Option(help: ArgumentHelp("The playback PCM.", valueName: "pcm"))
    var playback: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The sample rate of both. (default: one that needs no resampling)", valueName: "hertz"))
    var rate: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Channels to record, 1 to 8. (default: as few as possible)", valueName: "count"))
    var channels: Int?

    @OptionGroup var loudness: LevelOption

    func validate() throws {
        for pcm in [device ?? "default", playback ?? "default"] {
            _ = try DeviceRequest.argument(device: pcm, rate: rate, channels: channels)
        }
    }

    /// The medium on these devices.
    var mediumOptions: SoundMedium.Options {
        var options = SoundMedium.Options(capture: device ?? "default", playback: playback ?? "default")
        options.capture.sampleRateHertz = rate
        options.capture.channelCount = channels
        options.playback.sampleRateHertz = rate
        options.levelDecibels = loudness.level
        return options
    }
}
