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

    @OptionGroup var loudness: LevelOption

    func validate() throws {
        for pcm in [device, playback].compactMap(\.self) {
            _ = try DeviceRequest.argument(device: pcm, rate: nil, channels: nil)
        }
    }

    /// The medium on these devices.
    var mediumOptions: SoundMedium.Options {
        var options = SoundMedium.Options(capture: device ?? "default", playback: playback ?? "default")
        options.levelDecibels = loudness.level
        return options
    }
}
