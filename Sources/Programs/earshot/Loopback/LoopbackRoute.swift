import ArgumentParser
import EarshotAudio
import EarshotBasics
import EarshotConsole
import EarshotLoopback
import EarshotSoundConsole
import EarshotSystem

/// `--via`: the path of the sound.
enum LoopbackRoute: String, CaseIterable, ExpressibleByArgument {
    case wav
    case alsa
    case air

    /// The default of `--require` in percent. Files lose no sound, so all tokens must decode there.
    var requiredPercent: Double { self == .wav ? 100 : 95 }

    /// Rejects an option of another route, because giving it must be a mistake.
    /// - Throws: `ValidationError` if the option is given and the route is another one.
    func check(_ isGiven: Bool, _ option: String, belongsTo route: LoopbackRoute) throws {
        if isGiven, self != route {
            throw ValidationError("\(option) belongs to --via \(route.rawValue); leave it out with --via \(rawValue).")
        }
    }
}

/// The options of `--via alsa`.
struct LoopbackDeviceOptions: ParsableArguments {
    @Option(
        name: [.long, .customLong("capture")],
        help: ArgumentHelp("The ALSA device that records. (default: default)", valueName: "pcm"),
        completion: DeviceCompletion.capture)
    var device: String?

    @Option(
        help: ArgumentHelp("The ALSA device that plays. (default: default)", valueName: "pcm"),
        completion: DeviceCompletion.playback)
    var playback: String?

    func check(_ route: LoopbackRoute) throws {
        try route.check(device != nil, "--device", belongsTo: .alsa)
        try route.check(playback != nil, "--playback", belongsTo: .alsa)
    }

    func medium(for program: LoopbackProgram) throws(ValidationError) -> any LoopbackMedium {
        let rate = program.order.sampleRateHertz
        return ALSAMedium(
            playback: try DeviceRequest.argument(
                device: playback ?? "default", option: "--playback", rate: rate, channels: nil,
                bufferSeconds: ALSAMedium.bufferSeconds),
            capture: try DeviceRequest.argument(device: device ?? "default", rate: rate, channels: nil))
    }
}

/// The options of `--via wav`.
struct LoopbackFileOptions: ParsableArguments {
    @Option(help: "The sample format: s16, s24 or f32. (default: s16)")
    var format: FormatArgument?

    @Option(help: ArgumentHelp("Keep the played sound in this WAV file.", valueName: "file"), completion: .file())
    var keep: FilePath?

    @Flag(help: "Replace the file of --keep if it exists.")
    var overwrite = false

    func check(_ route: LoopbackRoute) throws {
        try route.check(format != nil, "--format", belongsTo: .wav)
        try route.check(keep != nil, "--keep", belongsTo: .wav)
        if overwrite, keep == nil { throw ValidationError("--overwrite without --keep: nothing is kept.") }
        if keep == "-" {
            throw ValidationError("--keep -: the test reads the file again, so name a file.")
        }
    }

    func medium(for program: LoopbackProgram) throws(Failure) -> any LoopbackMedium {
        let medium = WAVMedium(format: format?.format ?? .s16, keptAt: keep, replacesExisting: overwrite)
        guard program.sampleCount <= medium.maximumSampleCount else {
            throw Failure(
                .usage,
                "Cannot test \(program.sendings.count) tokens: a WAV file holds less than 4 GiB. "
                    + "Lower --count or --rate, or choose --format s16.")
        }
        return medium
    }
}

/// The options of `--via air`.
struct LoopbackAirOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The SNR: a sine of the tokens' peak over the noise in 1,500 Hz. (default: 20)", valueName: "decibels"))
    var snr: Double?

    @Option(
        help: ArgumentHelp(
            "The channel: room-a, walk, pilot and so on; see earshot simulate --list. (default: awgn)",
            valueName: "name"), completion: ChannelName.completion)
    var channel: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How much faster the recorder's clock runs. (default: 0)", valueName: "ppm"))
    var ppm: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The speed of the walker with one of the devices, closer and away in turn. (default: 0)",
            valueName: "metres/second"))
    var doppler: Double?

    func check(_ route: LoopbackRoute) throws {
        try route.check(snr != nil, "--snr", belongsTo: .air)
        try route.check(channel != nil, "--channel", belongsTo: .air)
        try route.check(ppm != nil, "--ppm", belongsTo: .air)
        try route.check(doppler != nil, "--doppler", belongsTo: .air)
        _ = try medium()
        if let snr, !(-60...100).contains(snr) {
            throw ValidationError("--snr \(DecimalText.short(snr)): give -60 to 100 dB.")
        }
        if let ppm, !(-1_000...1_000).contains(ppm) {
            throw ValidationError("--ppm \(DecimalText.short(ppm)): give -1000 to 1000 ppm.")
        }
        if let doppler, !(0...10).contains(doppler) {
            throw ValidationError("--doppler \(DecimalText.short(doppler)): give 0 to 10 m/s.")
        }
    }

    func medium() throws -> any LoopbackMedium {
        var medium = AirMedium()
        if let channel {
            guard let named = AirMedium(channel: try ChannelName.preset(channel)) else {
                throw ValidationError(
                    "--channel \(channel): this channel has several talkers, gaps or a receiver rate of its own. "
                        + "Loopback sends one token at a time and needs every sample. Use earshot simulate for it.")
            }
            medium = named
        }
        medium.snrDecibels = snr ?? medium.snrDecibels
        medium.clockPPM = ppm ?? 0
        medium.speedMetresPerSecond = doppler ?? 0
        return medium
    }
}
