import ArgumentParser
import EarshotAudio
import EarshotConsole
import EarshotDrawing
import EarshotModem

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Draw a spectrogram of the band with the decoded frames on it.",
        discussion: """
            The picture is one SVG file that needs nothing else: energies from 18.3 to 20.2 kHz, every decoded frame \
            with its tones where they were heard, and the evidence for each. Look at it when something was not \
            decoded, or was and you want to see why. A long stretch is drawn in at most \
            \(SpectrogramBuilder.largestColumnCount) columns that keep the loudest moments; choose a shorter one with \
            --start and --seconds to see single tones.

            The exit code is 0 when the picture was drawn, whether there are frames on it or not.

            EXAMPLES:
              earshot inspect token.wav -o token.svg
              earshot inspect lecture.flac --start 61.5 --seconds 3 -o detail.svg
            """)

    @Argument(help: ArgumentHelp("The sound file; '-' is standard input.", valueName: "file"), completion: .file())
    var file: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The SVG file to write; '-' is standard output.", valueName: "svg"), completion: .file())
    var output: String

    @Option(help: "Search for this profile only; may be given several times. (default: all)")
    var profile: [ProfileName] = []

    @Option(help: ArgumentHelp("The channel, counted from 0.", valueName: "number"))
    var channel = 0

    @Option(help: ArgumentHelp("Where the picture begins. (default: the beginning)", valueName: "seconds"))
    var start = 0.0

    @Option(help: ArgumentHelp("How much it shows. (default: to the end)", valueName: "seconds"))
    var seconds: Double?

    @Option(
        help: ArgumentHelp(
            "The input has no header and holds this: encoding:rate[:channels], such as s16le:48000.",
            valueName: "format"),
        transform: RawFormat.argument)
    var raw: RawFormat?

    func validate() throws {
        if channel < 0 {
            throw ValidationError("--channel \(channel): channels are counted from 0.")
        }
        if !(0...1e6).contains(start) {
            throw ValidationError("--start \(DecimalText.short(start)): the beginning is at 0 s or later.")
        }
        if let seconds, !(0.01...1e6).contains(seconds) {
            throw ValidationError("--seconds \(DecimalText.short(seconds)): a picture shows at least 0.01 s.")
        }
    }

    func run() throws {
        Interruption.handle()
        let inspection: Inspection
        do {
            inspection = try Inspection(
                Inspection.Request(
                    path: file, raw: raw, profiles: ProfileName.selected(profile), channel: channel,
                    startSeconds: start, seconds: seconds))
        } catch let error as AudioError {
            throw Failure(reading: error)
        }
        try TextFile.write(InspectionPicture(inspection).document(), to: output)
        if inspection.isTruncated {
            StandardStream.error.print(
                "note: \(file.escapedForTerminal) ends before its header says; what is there was drawn")
        }
        let frames = inspection.frames.count
        StandardStream.error.print(
            "wrote \(output == "-" ? "standard output" : output.escapedForTerminal): "
                + "\(DecimalText.text(inspection.seconds, decimals: 3)) s, "
                + (frames == 0 ? "no frame" : frames == 1 ? "1 frame" : "\(frames) frames"))
    }
}
