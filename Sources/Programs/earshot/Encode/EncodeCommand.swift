import ArgumentParser
import EarshotAudio
import EarshotBasics
import EarshotConsole
import EarshotModem
import EarshotSoundConsole
import EarshotSystem

struct EncodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encode",
        abstract: "Write a token, or any payload of 1 to 32 bytes, to a sound file.",
        usage: "earshot encode [<hex>] [--text <text>] --output <file> [<options>]",
        discussion: """
            Writes one channel, with \(DecimalText.short(EncodePlan.marginSeconds)) s of silence before and after. The \
            same arguments give the same bytes. The file appears when it is complete; on failure no file is left. An existing \
            file is replaced only with --overwrite.

            The extension selects the format: .flac, .ogg (Vorbis), .opus or .mp3. Other names are written as WAV, but those of formats that cannot \
            be written, such as .m4a, are refused. Lossy formats get the highest bit rate of \
            their encoder, because lower rates remove near-ultrasound. The bytes of .ogg and .opus files differ each time.

            EXAMPLES:
              earshot encode 0123456789abcdef -o token.wav
              earshot encode --text "Hall 3, 14:00" --profile far -o hall.wav
              earshot encode cafe --repeat 10 --gap 2 --level -20 -o beacon.wav
              earshot encode 0123456789abcdef --profile far --burst 4 -o distant.wav
              earshot encode 0123456789abcdef -o token.mp3
              earshot encode 0123456789abcdef -o - | aplay
            """)

    @OptionGroup var content: PayloadArguments

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The file to write; '-' is standard output, as WAV.", valueName: "file"), completion: .file()
    )
    var output: FilePath

    @Flag(help: "Let --output replace a file.")
    var overwrite = false

    @Option(help: "The profile: fast at arm's length, standard in a room, far across a hall.")
    var profile = ProfileName(.standard)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The sample rate, 44100 to 768000: 44100, 48000, 96000, 192000 or another.", valueName: "hertz"))
    var rate = 48_000

    @Option(
        help: ArgumentHelp(
            "The sample format of WAV and FLAC: integers of 16 or 24 bits, or floats of 32 bits (WAV only). (default: s16)",
            valueName: "format"))
    var format: FormatArgument?

    @Option(
        name: .customLong("repeat"), parsing: .unconditional,
        help: ArgumentHelp("The number of times to send the payload.", valueName: "count"))
    var repeatCount = 1

    @OptionGroup var burst: BurstOption

    @Option(parsing: .unconditional, help: ArgumentHelp("The silence between two sendings.", valueName: "seconds"))
    var gap = 0.5

    @OptionGroup var loudness: LevelOption

    @Flag(help: "Print a line of JSON about the file (on standard error with '-o -').")
    var json = false

    @Flag(name: .shortAndLong, help: "On standard error print errors only: no progress, no summary.")
    var quiet = false

    func validate() throws {
        try OutputFormat.wav.check(output, option: "--output")
        if format != nil, CompressedKind(path: output)?.isLossy == true {
            throw ValidationError("--format is for WAV and FLAC: '\(output.escapedForTerminal)' has no sample format.")
        }
        if repeatCount < 1 {
            throw ValidationError("--repeat \(repeatCount): send it at least once.")
        }
        if !(0...EncodePlan.maximumGapSeconds).contains(gap) {
            throw ValidationError(
                "--gap \(DecimalText.short(gap)): give 0 to \(DecimalText.short(EncodePlan.maximumGapSeconds)) s.")
        }
    }

    func run() throws {
        let payload = try content.payload()
        try burst.check(payload)
        let plan = try EncodePlan(
            payload: payload, profile: profile.profile, sampleRateHertz: rate, format: format?.format ?? .s16,
            burstCount: burst.count, repeatCount: repeatCount, gapSeconds: gap, levelDecibels: loudness.level)
        if output == "-", StandardStream.output.isTerminal {
            throw Failure(
                .usage,
                "Cannot write samples to a terminal. Name a file with -o, or pipe them: earshot encode … -o - | aplay")
        }
        Interruption.handle(Interruption.awaitSettled)
        do throws(AudioError) {
            guard try plan.write(to: output, replacesExisting: overwrite, showsProgress: !quiet) else {
                Interruption.settle()
            }
        } catch {
            throw Failure(writing: error)
        }
        if json {
            (output == "-" ? StandardStream.error : .output).print(plan.jsonLine(output: output))
        } else if !quiet {
            StandardStream.error.print(plan.summary(output: output))
        }
    }
}
