import ArgumentParser
import EarshotAudio
import EarshotBasics
import EarshotConsole
import EarshotDrawing
import EarshotModem
import EarshotSoundConsole
import EarshotSystem

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Draw a spectrogram of the band with the decoded frames on it.",
        usage: "earshot inspect [<file>] --output <svg> [<options>]",
        discussion: """
            Writes one self-contained SVG file: energies from 18.3 to 20.2 kHz, every decoded frame with its tones at \
            their times and frequencies, and the evidence for each frame. It shows why a token was or was not decoded. \
            A long recording is drawn in at most \(SpectrogramBuilder.maximumColumnCount) columns that keep the \
            loudest moments; choose a shorter part with --start and --seconds to see single tones.

            The exit code is 0 when the picture was drawn, with or without frames.

            EXAMPLES:
              earshot inspect token.wav -o token.svg
              earshot inspect lecture.flac --start 61.5 --seconds 3 -o detail.svg
            """)

    @Argument(
        help: ArgumentHelp(
            "The sound file; '-' is standard input, which is the default if it is a pipe.", valueName: "file"),
        completion: .file())
    var file: FilePath?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The SVG file to write; '-' is standard output.", valueName: "svg"), completion: .file())
    var output: FilePath

    @Option(help: "Search for this profile only; may be given several times. (default: all)")
    var profile: [ProfileName] = []

    @Option(parsing: .unconditional, help: ArgumentHelp("The channel, counted from 0.", valueName: "number"))
    var channel = 0

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The start of the picture.", valueName: "seconds"))
    var start = 0.0

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The length of the picture. (default: to the end)", valueName: "seconds"))
    var seconds: Double?

    @Option(
        help: ArgumentHelp(
            "The input has no header; its samples are encoding:rate[:channels], such as s16le:48000.",
            valueName: "format"),
        completion: RawFormat.completion, transform: RawFormat.argument)
    var raw: RawFormat?

    @OptionGroup var picture: ThemeOption

    @Flag(name: .shortAndLong, help: "On standard error print errors only: no progress, no notes.")
    var quiet = false

    mutating func validate() throws {
        if file == nil, StandardInput.hasContent { file = "-" }
        if file == nil {
            throw ValidationError("Nothing to inspect: name a sound file, or '-' for standard input.")
        }
        try OutputFormat.svg.check(output, option: "--output")
        if channel < 0 {
            throw ValidationError("--channel \(channel): give 0 or more; channels are counted from 0.")
        }
        if !(0...1e6).contains(start) {
            throw ValidationError("--start \(DecimalText.short(start)): give 0 s or more.")
        }
        if let seconds, !(0.01...1e6).contains(seconds) {
            throw ValidationError("--seconds \(DecimalText.short(seconds)): give 0.01 s or more.")
        }
    }

    func run() throws {
        let file = file ?? "-"
        try output.requireDistinct(from: [file])
        try OutputFormat.requireNoSound(output, option: "--output")
        Interruption.handle()
        let inspection: Inspection
        do {
            inspection = try Inspection(
                Inspection.Request(
                    path: file, raw: raw, profiles: ProfileName.selected(profile), channel: channel,
                    startSeconds: start, seconds: seconds), showsProgress: !quiet)
        } catch let error as AudioError {
            throw Failure(reading: error)
        }
        try TextFile.write(picture.theme.applied(to: InspectionPicture(inspection).document()), to: output)
        if quiet { return }
        if inspection.isTruncated {
            StandardStream.error.print(
                "note: \(file.escapedForTerminal) ends before its header says; the picture shows what is there")
        }
        let frames = inspection.frames.count
        StandardStream.error.print(
            "wrote \(output == "-" ? "standard output" : output.escapedForTerminal): "
                + "\(DecimalText.text(inspection.seconds, decimals: 3)) s, "
                + (frames == 0 ? "no frame" : frames == 1 ? "1 frame" : "\(frames) frames"))
    }
}
