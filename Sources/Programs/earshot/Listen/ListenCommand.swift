import ArgumentParser
import EarshotAudio
import EarshotBasics
import EarshotCoding
import EarshotConsole
import EarshotLive
import EarshotModem
import EarshotSoundConsole
import EarshotSystem

struct ListenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Print tokens as a microphone hears them.",
        discussion: """
            Listens for all profiles at once and prints a line for each token, at most a tenth of a second after its \
            end (far: 0.15 s). On a terminal a meter shows the level between 18.5 and 20 kHz. Ends after --seconds or \
            --count, or with Ctrl-C; all sound until then is still decoded.

            Lost sound is a gap: standard error reports it, and later times stay right. A device that goes away ends \
            listening, unless --reconnect waits for it.

            Two to eight channels are decoded together, as one device's microphones: a token is found where no channel \
            alone would find it, and printed once with its best channel. --separate decodes each channel on its own.

            A TOKEN IS NOT DECODED?
            'earshot listen --report NAME' writes the two files of a bug report while the token is sent: NAME.wav, the \
            recording, complete even after Ctrl-C; and NAME.json: version, system and ALSA's version, the device's \
            offer and the format used, gaps, levels, tokens, and the receiver's counts. Both names must be new, \
            unless --overwrite is given. Attach both files; CONTRIBUTING.md (in Debian's package /usr/share/doc/earshot) says where. A recording also contains voices.

            EXAMPLES:
              earshot listen
              earshot listen --device hw:1 --seconds 60 --json
              earshot listen --device plughw:CARD=Mic --record evening.wav
              earshot listen --device hw:1 --report kitchen --seconds 30
              earshot listen --broadcast 0123456789abcdef --interval 5

            A line of JSON is like one of 'earshot decode', with the device as its file, followed by:
              "time":"2026-11-21T14:03:22.157Z","latency_s":0.071,"own":false
            The time is that of the token's start. The latency counts from its end, and is \
            negative if listening ended before the token did. "own" marks tokens given with --own or \
            --broadcast: they came from this machine, or from another one that repeats them.

            Exit codes: 0 at least one token that is not its own, 1 none, 69 no such device or it cannot be used, 77 \
            no permission.
            """)

    @OptionGroup var capture: CaptureOptions

    @Flag(help: "Decode the mean of all channels.")
    var mix = false

    @Flag(help: "Decode each channel by itself, instead of all together.")
    var separate = false

    @Flag(help: "Decode each channel by itself, and print a token once for every channel that hears it.")
    var everyChannel = false

    @Option(help: "Listen for this profile only; may be given several times. (default: all)")
    var profile: [ProfileName] = []

    @OptionGroup var repeats: CombineOption

    @Option(parsing: .unconditional, help: ArgumentHelp("End after this time.", valueName: "seconds"))
    var seconds: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("End after this many tokens that are not our own.", valueName: "count"))
    var count: Int?

    @Flag(help: "Print a line of JSON for every token.")
    var json = false

    @Option(help: ArgumentHelp("Record to a WAV file, too.", valueName: "file"), completion: .file())
    var record: FilePath?

    @Option(help: ArgumentHelp("Record to NAME.wav and describe the device in NAME.json.", valueName: "name"))
    var report: FilePath?

    @Flag(help: "Let --record and --report replace files.")
    var overwrite = false

    @Flag(
        inversion: .prefixedNo,
        help: "Wait for a device that goes away, then continue. (default: --reconnect if --device is given)")
    var reconnect: Bool?

    @Option(
        help: ArgumentHelp("A payload that this machine sends itself; may be given several times.", valueName: "hex"))
    var own: [String] = []

    @Option(help: ArgumentHelp("Broadcast this payload while listening.", valueName: "hex"))
    var broadcast: String?

    @Option(help: ArgumentHelp("The playback PCM for --broadcast. (default: default)", valueName: "pcm"))
    var playback: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The time from one broadcast to the next.", valueName: "seconds"))
    var interval: Double?

    @Flag(name: .shortAndLong, help: "On standard error print errors only: no meter, no notes, no summary.")
    var quiet = false

    func validate() throws {
        if let seconds, !(seconds > 0 && seconds <= 1e8) {
            throw ValidationError("--seconds \(DecimalText.short(seconds)): give more than 0, and at most 100000000.")
        }
        if let count, count < 1 { throw ValidationError("--count \(count): at least one token.") }
        if overwrite, record == nil, report == nil {
            throw ValidationError("--overwrite is for --record and --report.")
        }
        try record.map { try OutputFormat.plainWAV.check($0, option: "--record") }
        if record != nil, report != nil { throw ValidationError("--report records: leave --record out.") }
        if let report, report.isEmpty || report == "-" || report.hasSuffix("/") {
            throw ValidationError("--report \(report.escapedForTerminal): the name of two files, such as kitchen.")
        }
        if broadcast == nil, playback != nil || interval != nil {
            throw ValidationError("--playback and --interval are for --broadcast.")
        }
        if mix, everyChannel { throw ValidationError("With --mix there is one channel: leave --every-channel out.") }
        if mix, separate { throw ValidationError("With --mix there is one channel: leave --separate out.") }
        if let interval, !(interval > 0 && interval <= 86_400) {
            throw ValidationError("--interval \(DecimalText.short(interval)): give more than 0 s, at most a day.")
        }
    }

    func run() throws {
        var options = Listener.Options()
        options.profiles = ProfileName.selected(profile)
        options.combinedCount = repeats.repeatCount
        options.mixesChannels = mix
        options.separatesChannels = separate
        options.reportsEveryChannel = everyChannel
        options.secondsLimit = seconds
        let meter = LiveMeter(isEnabled: !quiet)
        options.levelIntervalSeconds = meter.wantsLevels || report != nil ? 0.1 : nil
        let ownPayloads = try payloads(own + [broadcast].compactMap(\.self))

        // Before any other thread starts: threads inherit the signal mask.
        let ending = Ending()
        Interruption.request { ending.request() }
        let report = try report.map { name in
            try SessionReport(name: name, device: try capture.request().name, replacesExisting: overwrite)
        }
        let listener = try open(options)
        listener.ownPayloads = Set(ownPayloads)
        let recording = try (record ?? report?.recordingPath).map { path in
            try SessionRecording(path: path, format: listener.format, replacesExisting: overwrite)
        }
        try report?.opened(listener.format)
        let chatter = try broadcast.map { _ in
            try BroadcastLoop(
                BroadcastLoop.Plan(
                    payload: ownPayloads[ownPayloads.count - 1],
                    profile: options.profiles.first { $0.name == "standard" }
                        ?? options.profiles[0], levelDecibels: -12, intervalSeconds: interval ?? 3, count: nil),
                device: playback ?? "default", reconnects: playback != nil && reconnect != false, isQuiet: quiet)
        }
        let notes = LiveNotes(meter: meter, isQuiet: quiet)
        let output = ListenOutput(
            meter: meter, notes: notes, isJSON: json, device: listener.format.name, tokenLimit: count)
        output.opened(listener.format)
        ending.onRequest {
            listener.stop()
            chatter?.stop()
        }
        chatter?.start { notes.broadcast($0) }
        try listener.run(tap: recording.map { recording in { recording.take($0, $1) { notes.print($0) } } }) { event in
            output.take(event)
            report?.take(event)
            if output.isComplete { listener.stop() }
        }
        chatter?.stop()
        try recording?.finish()
        output.conclude()
        if let report, let recording {
            try report.finish(recording)
            notes.print(report.farewell(recording))
        }
        if let failure = output.failure { throw Failure(failure) }
        if output.foreignCount == 0 { throw ExitCode(ExitStatus.noTokenFound.rawValue) }
    }

    private func payloads(_ texts: [String]) throws -> [Payload] {
        try texts.map { text in
            do throws(PayloadError) {
                return try Payload(hex: text)
            } catch {
                throw Failure(
                    .usage, "Cannot use the payload \"\(text.prefix(80).description.escapedForTerminal)\": \(error).")
            }
        }
    }

    /// Opens the device, and waits for it if `--reconnect` was given explicitly.
    private func open(_ options: Listener.Options) throws -> Listener {
        let request = try capture.request()
        var hasComplained = false
        while true {
            do throws(DeviceError) {
                return try AnswerWatch.run("open", request.name, onSilence: SilentDevice.note(isQuiet: quiet)) {
                    () throws(DeviceError) in
                    try Listener(request, reconnects: reconnect ?? (capture.device != nil), options: options)
                }
            } catch {
                guard reconnect == true, error.isWorthRetrying else { throw Failure(error) }
                if !hasComplained, !quiet { StandardStream.error.print("waiting: \(error)") }
                hasComplained = true
                if Interruption.waitForRequest(seconds: 0.5) { throw ExitCode(ExitStatus.noTokenFound.rawValue) }
            }
        }
    }
}
