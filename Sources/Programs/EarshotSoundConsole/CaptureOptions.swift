package import ArgumentParser
package import EarshotAudio

/// `--device`, `--rate` and `--channels`: the microphone, for every command that listens.
package struct CaptureOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The capture PCM; 'earshot devices' lists them.", valueName: "pcm"),
        completion: DeviceCompletion.capture)
    package var device: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The sample rate. (default: one that needs no resampling)", valueName: "hertz"))
    package var rate: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Channels to record, 1 to 8. (default: as few as possible)", valueName: "count"))
    package var channels: Int?

    package init() {}

    package func validate() throws {
        _ = try request()
    }

    /// The request for the microphone.
    package func request() throws(ValidationError) -> DeviceRequest {
        try .argument(device: device ?? "default", rate: rate, channels: channels)
    }
}
