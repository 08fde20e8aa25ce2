import ArgumentParser
import EarshotBasics
import EarshotConsole
import EarshotLoopback
import EarshotSoundConsole
import EarshotSystem

struct FieldReadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Judge the recording of the schedule, and write the folder for an issue.",
        usage: "earshot field read <file> --distance <metres> -o <folder> [<options>]",
        discussion: """
            Finds the schedule in the recording and reports for each profile and level the tokens that decoded and \
            their SNR; the response of loudspeaker and microphone, the noise, the difference of the clocks, and the \
            echoes of the room: RT60 and the direct over the reverberant energy (DRR), both within 18.5 to 20 kHz.

            The folder gets field.json, decoded.svg and response.svg, but no sound: a recording contains voices, so \
            attach it only after you have listened to it. Give what the recording does not contain: the distance, and with \
            --player, --recorder and --note the devices and the room.

            EXAMPLES:
              earshot field read field.wav --distance 3 -o results
              earshot field read field.wav --distance 3 -o results --player "Pixel 6"

            field.json:
              {"version":"earshot 0.2.0","distance_m":3,"player":null,"recorder":null,
              "note":null,"level_dbfs":-12,"steps":5,"tokens":5,"seed":1,
              "recording_hz":48000,"levels":[{"profile":"fast","level_dbfs":-12,
              "sent":5,"decoded":5,"snr_db":12.3}, ...],"wrong":0,"duplicates":0,
              "clock_ppm":12.3,"clock_uncertainty_ppm":0.2,"rt60_s":0.28,"drr_db":1.3,
              "response_db":-31.2,"ripple_db":8.1,"noise_dbfs":-78.0,"cut_off_hz":null,
              "problems":[]}
            With --json the same is printed on one line. A value that was not measured is null.

            Exit codes: 0 at least one token was decoded; 1 none was; 65 no sweep is in the recording, it has tokens of \
            another schedule, or it is no sound; 66 the recording cannot be read; 73 the folder cannot be made.
            """)

    /// A schedule is at most an hour and a half long.
    private static let maximumSeconds = 6_000

    @Argument(help: "The recording, in a format that libsndfile reads.", completion: .file())
    var file: FilePath

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The distance between the devices, 0 to 1000.", valueName: "metres"))
    var distance: Double

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The folder to write.", valueName: "folder"), completion: .directory)
    var output: FilePath

    @Option(help: ArgumentHelp("The device that played, and its volume.", valueName: "text"))
    var player: String?

    @Option(help: ArgumentHelp("The device that recorded.", valueName: "text"))
    var recorder: String?

    @Option(help: ArgumentHelp("The room, and what is between the devices.", valueName: "text"))
    var note: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The channel of the recording, 0 for the first.", valueName: "number"))
    var channel = 0

    @OptionGroup(title: "THE SCHEDULE, as it was played") var schedule: FieldScheduleOptions

    @OptionGroup var picture: ThemeOption

    @Flag(help: "Replace the files of an existing folder.")
    var overwrite = false

    @Flag(help: "Print a line of JSON.")
    var json = false

    @Flag(name: .shortAndLong, help: "On standard error print errors only: no progress, no notes.")
    var quiet = false

    func validate() throws {
        if !(0...1_000).contains(distance) {
            throw ValidationError("--distance \(DecimalText.short(distance)): give 0 to 1000 metres.")
        }
        if channel < 0 { throw ValidationError("--channel \(channel): give 0 for the first channel, or more.") }
        if output == "-" { throw ValidationError("--output -: name a folder.") }
    }

    func run() throws {
        let recording = try SoundFileChannel(file, channel: channel, maximumSeconds: Self.maximumSeconds)
        guard recording.sampleRateHertz >= 44_100 else {
            throw Failure(
                .data,
                "Cannot judge \(file.escapedForTerminal): \(recording.sampleRateHertz) Hz have no room for 20 kHz; record "
                    + "at 44100 Hz or more.")
        }
        let program = try schedule.program()
        let progress = ProgressBar(partCount: 1, isEnabled: !quiet)
        Interruption.handle { progress.clear() }
        let report: LoopbackReport
        do throws(RecordedProgram.Problem) {
            report = try RecordedProgram.report(
                recording.samples(at: FieldScheduleOptions.sampleRateHertz), of: program
            ) { progress.update(fraction: $0) }
        } catch {
            progress.clear()
            throw Failure(.data, "Cannot judge \(file.escapedForTerminal): \(error).")
        }
        progress.clear()
        if report.decodedCount == 0, report.wrongCount > 0 {
            throw Failure(
                .data,
                "Cannot judge \(file.escapedForTerminal): it has tokens, but none of this schedule. Give the --seed, "
                    + "--level, --steps and --tokens that 'earshot field play' had.")
        }
        let result = FieldResult(
            report: report, schedule: schedule, distanceMetres: distance, player: player, recorder: recorder,
            note: note,
            recordingRateHertz: recording.sampleRateHertz)
        let folder = FieldFolder(output, overwrites: overwrite, theme: picture.theme)
        try folder.write(result)
        StandardStream.output.print(json ? result.json.text : result.text.joined(separator: "\n"))
        if !quiet { StandardStream.error.print("wrote \(output.escapedForTerminal); attach the folder to an issue") }
        if report.decodedCount == 0 { throw ExitCode(1) }
    }
}
