import ArgumentParser
import EarshotAudio
import EarshotCoding
import EarshotModem

struct EncodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encode",
        abstract: "Write a token, or any payload of 1 to 32 bytes, to a WAV file.",
        discussion: """
            One channel, with \(DecimalText.short(EncodePlan.marginSeconds)) s of silence before and after. The same \
            arguments give the same bytes. The file appears when it is complete; nothing is left behind otherwise.

            EXAMPLES:
              earshot encode 0123456789abcdef -o token.wav
              earshot encode --text "Hall 3, 14:00" --profile far -o hall.wav
              earshot encode cafe --repeat 10 --gap 2 --level -20 -o beacon.wav
              earshot encode 0123456789abcdef -o - | aplay
            """)

    @Argument(
        help: ArgumentHelp(
            "The payload as hexadecimal digits, two a byte: 16 digits for a token.", valueName: "hex"))
    var hexDigits: String?

    @Option(help: "The payload as text, 1 to 32 bytes of UTF-8, instead of hexadecimal digits.")
    var text: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The WAV file to write; '-' is standard output.", valueName: "file"))
    var output: String

    @Option(help: "How it sounds: fast at arm's length, standard in a room, far across a hall.")
    var profile = ProfileName(.standard)

    @Option(
        help: ArgumentHelp(
            "The sample rate: 44100, 48000, 88200, 96000, 192000 or another from 44100 up.", valueName: "hertz"))
    var rate = 48_000

    @Option(help: "How samples are stored: integers of 16 or 24 bits, or floats of 32 bits.")
    var format = FormatArgument(.s16)

    @Option(name: .customLong("repeat"), help: ArgumentHelp("How often it is sent.", valueName: "count"))
    var repeatCount = 1

    @Option(help: ArgumentHelp("The silence between one and the next.", valueName: "seconds"))
    var gap = 0.5

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The peak level in decibels, 0 is full scale; the default is polite and enough for a room.",
            valueName: "dbfs"))
    var level = -12.0

    @Flag(help: "Print what was written as a line of JSON (on standard error with '-o -').")
    var json = false

    func validate() throws {
        if hexDigits != nil, text != nil {
            throw ValidationError(
                "Both hexadecimal digits and --text are given; a frame has one payload, so leave one out.")
        }
        if hexDigits == nil, text == nil {
            throw ValidationError(
                "Nothing to encode: give hexadecimal digits (0123456789abcdef) or --text \"some words\".")
        }
        if !(level <= 0 && level > -90) {
            throw ValidationError(
                "--level \(DecimalText.short(level)): a peak lies above -90 and not above 0 dBFS; -12 is a good start.")
        }
        if repeatCount < 1 {
            throw ValidationError("--repeat \(repeatCount): it has to be sent at least once.")
        }
        if !(0...EncodePlan.largestGapSeconds).contains(gap) {
            throw ValidationError(
                "--gap \(DecimalText.short(gap)): between frames there are 0 to "
                    + "\(DecimalText.short(EncodePlan.largestGapSeconds)) s.")
        }
    }

    func run() throws {
        let plan = try EncodePlan(
            payload: try payload(), profile: profile.profile, sampleRateHertz: rate, format: format.format,
            repeatCount: repeatCount, gapSeconds: gap, levelDecibels: level)
        if output == "-", StandardStream.output.isTerminal {
            throw Failure(
                .usage,
                "Cannot write samples to a terminal. Name a file with -o, or pipe them: earshot encode … -o - | aplay")
        }
        Interruption.handle(Interruption.awaitSettled)
        do throws(AudioError) {
            guard try plan.write(to: output) else { Interruption.settle() }
        } catch {
            throw Failure(writing: error)
        }
        if json {
            (output == "-" ? StandardStream.error : .output).print(plan.jsonLine(output: output))
        } else {
            StandardStream.error.print(plan.summary(output: output))
        }
    }

    private func payload() throws -> Payload {
        do throws(PayloadError) {
            if let text { return try Payload(Array(text.utf8)) }
            return try Payload(hex: hexDigits ?? "")
        } catch {
            let place = text.map { "--text \"\($0.prefix(40).description.escapedForTerminal)\"" } ?? "the payload"
            throw Failure(.usage, "Cannot encode \(place): \(error).")
        }
    }
}
