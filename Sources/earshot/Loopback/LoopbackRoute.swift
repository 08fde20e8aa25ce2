import ArgumentParser
import EarshotAudio
import EarshotConsole
import EarshotDrawing
import EarshotLoopback

/// What `--via` names.
enum LoopbackRoute: String, CaseIterable, ExpressibleByArgument {
    case wav
    case alsa
    case air

    /// What has to be decoded unless something else is asked for: files lose nothing.
    var requiredPercent: Double { self == .wav ? 100 : 95 }

    /// Refuses an option that belongs to another route, which must be a mistake.
    func check(_ isGiven: Bool, _ option: String, belongsTo route: LoopbackRoute) throws {
        if isGiven, self != route {
            throw ValidationError("\(option) belongs to --via \(route.rawValue); leave it out with --via \(rawValue).")
        }
    }
}

/// What only `--via alsa` takes.
struct LoopbackDeviceOptions: ParsableArguments {
    @Option(
        name: [.long, .customLong("capture")],
        help: ArgumentHelp("The ALSA device that records. (default: default)", valueName: "pcm"))
    var device: String?

    @Option(help: ArgumentHelp("The ALSA device that plays. (default: default)", valueName: "pcm"))
    var playback: String?

    func check(_ route: LoopbackRoute) throws {
        try route.check(device != nil, "--device", belongsTo: .alsa)
        try route.check(playback != nil, "--playback", belongsTo: .alsa)
    }

    func medium(for program: LoopbackProgram) throws(ValidationError) -> any LoopbackMedium {
        let rate = program.order.sampleRateHertz
        return ALSAMedium(
            playback: try DeviceRequest.argument(
                device: playback ?? "default", rate: rate, channels: nil, bufferSeconds: ALSAMedium.bufferSeconds),
            capture: try DeviceRequest.argument(device: device ?? "default", rate: rate, channels: nil))
    }
}

/// What only `--via wav` takes.
struct LoopbackFileOptions: ParsableArguments {
    @Option(help: "How samples are stored: s16, s24 or f32. (default: s16)")
    var format: FormatArgument?

    @Option(help: ArgumentHelp("Keep what was played in this WAV file.", valueName: "file"), completion: .file())
    var keep: String?

    func check(_ route: LoopbackRoute) throws {
        try route.check(format != nil, "--format", belongsTo: .wav)
        try route.check(keep != nil, "--keep", belongsTo: .wav)
        if keep == "-" {
            throw ValidationError("--keep -: what was written is read again, so name a file.")
        }
    }

    func medium(for program: LoopbackProgram) throws(Failure) -> any LoopbackMedium {
        let medium = WAVMedium(format: format?.format ?? .s16, keptAt: keep)
        guard program.sampleCount <= medium.maximumSampleCount else {
            throw Failure(
                .usage,
                "Cannot test \(program.sendings.count) tokens: a WAV file holds less than 4 GiB. "
                    + "Lower --count or --rate, or choose --format s16.")
        }
        return medium
    }
}

/// What only `--via air` takes.
struct LoopbackAirOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "A sine of the tokens' peak over the noise in 1,500 Hz. (default: 20)", valueName: "decibels"))
    var snr: Double?

    @Option(
        help: ArgumentHelp(
            "What the air is like: room-a, walk, pilot and so on, see earshot simulate --list. (default: awgn)",
            valueName: "name"))
    var channel: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How much faster the recorder's clock runs. (default: 0)", valueName: "ppm"))
    var ppm: Double?

    @Option(
        help: ArgumentHelp("Somebody walks by so fast, now closer, now away. (default: 0)", valueName: "metres/second"))
    var doppler: Double?

    func check(_ route: LoopbackRoute) throws {
        try route.check(snr != nil, "--snr", belongsTo: .air)
        try route.check(channel != nil, "--channel", belongsTo: .air)
        try route.check(ppm != nil, "--ppm", belongsTo: .air)
        try route.check(doppler != nil, "--doppler", belongsTo: .air)
        _ = try medium()
        if let snr, !(-60...100).contains(snr) {
            throw ValidationError("--snr \(DecimalText.short(snr)): between -60 and 100 dB can be simulated.")
        }
        if let ppm, !(-1_000...1_000).contains(ppm) {
            throw ValidationError("--ppm \(DecimalText.short(ppm)): clocks differ by less than 1000 ppm.")
        }
        if let doppler, !(0...10).contains(doppler) {
            throw ValidationError("--doppler \(DecimalText.short(doppler)): between 0 and 10 m/s can be simulated.")
        }
    }

    func medium() throws -> any LoopbackMedium {
        var medium = AirMedium()
        if let channel {
            guard let named = AirMedium(channel: try ChannelName.preset(channel)) else {
                throw ValidationError(
                    "--channel \(channel): one token is sent at a time here, and every sample is accounted for; "
                        + "earshot simulate takes it.")
            }
            medium = named
        }
        medium.snrDecibels = snr ?? medium.snrDecibels
        medium.clockPPM = ppm ?? 0
        medium.speedMetresPerSecond = doppler ?? 0
        return medium
    }
}
