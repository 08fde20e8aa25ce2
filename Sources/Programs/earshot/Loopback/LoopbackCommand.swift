import ArgumentParser
import EarshotAudio
import EarshotBasics
import EarshotConsole
import EarshotDrawing
import EarshotLoopback
import EarshotModem
import EarshotSoundConsole
import EarshotSystem
import Glibc

struct LoopbackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loopback",
        abstract: "Play random tokens, record them, and compare: the self-test.",
        discussion: """
            Plays random tokens between two sweeps, listens, and compares. --via alsa tests your loudspeaker and \
            microphone: put them in their final places, and keep the room quiet while it plays. --via air tests the \
            modem in a simulated room, whose microphone lowers its gain if the noise would clip. --via wav tests \
            everything except the sound itself.

            The report has for each profile: the tokens decoded; frames that were wrong (never sent, or not at that \
            time) or came twice; the SNR, which counts echoes as noise; the latency, from the output of a token's first \
            sample to the event; and the level without noise. The sweeps give the difference of the clocks \
            and the effect of loudspeaker and microphone on the band. Ctrl-C ends the test early and judges the part \
            that was played.

            The same seed gives the same tokens; with wav and air it gives the same results too.

            EXAMPLES:
              earshot loopback --via wav
              earshot loopback --via air --snr 0 --channel room-b --profile standard
              earshot loopback --via alsa --device hw:1 --playback hw:0 --report pair.svg
              earshot loopback --via alsa --json --require 90 || echo "move the microphone"

            JSON, one line for each profile:
              {"profile":"fast","sent":10,"decoded":10,"wrong":0,"duplicates":0,
              "missing":[],"snr_db":19.3,"snr_min_db":18.4,"snr_max_db":20.0,
              "latency_s":0.591,"latency_p95_s":0.593,"latency_max_s":0.593,
              "level_dbfs":-12.0,"passed":true}
            "missing" has at most \(LoopbackJSON.maximumMissingCount) tokens; SNR, latency and level are medians. \
            The last line is for all profiles together:
              {"via":"air","medium":"simulated air, SNR 20 dB","rate_hz":48000,
              "sent_level_dbfs":-12,"seed":7,"required_percent":95,"sent":30,
              "decoded":30,"wrong":0,"duplicates":0,"played_s":57.5,
              "clock_ppm":0.0,"clock_uncertainty_ppm":0.1,"dropouts":0,
              "dropped_s":0,"interrupted":false,"response_db":0.0,"ripple_db":0.5,
              "noise_dbfs":-32.0,"cut_off_hz":null,"problems":[],
              "verdict":"fast, standard and far will work.","passed":true}
            "problems" can have silence, not_heard, too_quiet, noisy, clipping, cut_off and uneven. The clock is the \
            recorder's minus the player's, with its 95 % uncertainty. A value that was not measured is null.

            EXIT CODES:
              0   every profile passed
              1   a profile failed: too few tokens, or a frame that is wrong or came twice
              64 and above: see earshot --help
            """)

    @Option(help: "The path of the sound: wav, alsa or air.")
    var via: LoopbackRoute

    @Option(parsing: .unconditional, help: ArgumentHelp("The number of tokens in each profile.", valueName: "number"))
    var count = 10

    @Option(help: "Test this profile only; may be given several times. (default: all)")
    var profile: [ProfileName] = []

    @OptionGroup var loudness: LevelOption

    @Option(parsing: .unconditional, help: ArgumentHelp("The sample rate of the whole test.", valueName: "hertz"))
    var rate = 48_000

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The seed of tokens and pauses. (default: a new one each time)", valueName: "number"))
    var seed: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The percentage of tokens that every profile must decode to pass. (default: 100 for wav, otherwise 95)",
            valueName: "percent"))
    var require: Double?

    @OptionGroup(title: "ALSA")
    var devices: LoopbackDeviceOptions

    @OptionGroup(title: "WAV")
    var file: LoopbackFileOptions

    @OptionGroup(title: "AIR")
    var air: LoopbackAirOptions

    @Option(
        help: ArgumentHelp("Draw the response, noise and levels of the pair as SVG.", valueName: "svg"),
        completion: .file())
    var report: FilePath?

    @OptionGroup var picture: ThemeOption

    @Flag(help: "Print lines of JSON.")
    var json = false

    @Flag(name: .shortAndLong, help: "On standard error print errors only: no progress, no notes.")
    var quiet = false

    func validate() throws {
        if !(1...10_000).contains(count) {
            throw ValidationError("--count \(count): give 1 to 10000 tokens for each profile.")
        }
        if let seed, seed < 0 {
            throw ValidationError("--seed \(seed): give a whole number from 0 up.")
        }
        if let require, !(0...100).contains(require) {
            throw ValidationError("--require \(DecimalText.short(require)): give 0 to 100 percent.")
        }
        try picture.check(drawsPicture: report != nil, option: "--report")
        try report.map { try OutputFormat.svg.check($0, option: "--report") }
        try file.keep.map { try OutputFormat.plainWAV.check($0, option: "--keep") }
        if report == "-" {
            throw ValidationError("--report -: standard output has the figures, so name a file for the picture.")
        }
        try devices.check(via)
        try file.check(via)
        try air.check(via)
    }

    func run() throws {
        if let keep = file.keep { try report?.requireDistinct(from: [keep]) }
        if let report {
            try OutputFormat.requireNoSound(report, option: "--report")
            try OutputFormat.requireFolder(of: report, option: "--report")
        }
        let program = try makeProgram()
        let medium = try makeMedium(for: program)
        if via == .alsa, !quiet {
            StandardStream.error.print(
                "\(program.sendings.count) token\(program.sendings.count == 1 ? "" : "s") for \(DecimalText.text(program.seconds, decimals: 0)) s, "
                    + "seed \(program.order.seed); Ctrl-C ends early")
        }
        let progress = ProgressBar(partCount: 1, isEnabled: !quiet)
        let run = LoopbackRun(program) { progress.update(fraction: $0) }
        Interruption.handle {
            run.cancel()
            Interruption.awaitSettled()
        }
        var failure: Failure?
        do {
            try medium.carry(run)
        } catch let error as DeviceError {
            failure = Failure(error)
        } catch let error as AudioError {
            failure = error.operation == "write" ? Failure(writing: error) : Failure(reading: error)
        }
        progress.clear()
        let result = LoopbackResult(
            report: run.report(), program: program, via: via, medium: medium.description, levelDecibels: loudness.level,
            requiredPercent: require ?? via.requiredPercent)
        // Results measured before an error are worth printing.
        if failure == nil || result.report.sentCount > 0 { try publish(result) }
        if Interruption.isRequested { Interruption.settle() }
        if let failure { throw failure }
        if !result.isPassed { throw ExitCode(1) }
    }

    private func makeProgram() throws(Failure) -> LoopbackProgram {
        var order = LoopbackProgram.Order()
        order.sampleRateHertz = rate
        order.profiles = ProfileName.selected(profile)
        order.tokensPerProfile = count
        order.amplitude = Float(pow(10, loudness.level / 20))
        order.seed = UInt64(seed ?? Int.random(in: 1...999_999))
        do throws(ModemError) {
            return try LoopbackProgram(order)
        } catch {
            throw Failure(.usage, "Cannot test with --rate \(rate): \(error).")
        }
    }

    private func makeMedium(for program: LoopbackProgram) throws -> any LoopbackMedium {
        switch via {
        case .wav: try file.medium(for: program)
        case .alsa: try devices.medium(for: program)
        case .air: try air.medium()
        }
    }

    private func publish(_ result: LoopbackResult) throws(Failure) {
        let lines = json ? LoopbackJSON(result).lines : LoopbackText(result).lines
        StandardStream.output.print(lines.joined(separator: "\n"))
        guard let path = report else { return }
        guard case .success(let pair) = result.report.pair, let verdict = result.report.verdict else {
            if !quiet { StandardStream.error.print("no picture was drawn, because no sweep was heard") }
            return
        }
        let response = ResponsePicture(
            pair, verdict: verdict, tokenLevelDecibels: loudness.level,
            name: "earshot loopback through \(result.medium)")
        try TextFile.write(picture.theme.applied(to: response.document()), to: path)
        if !quiet { StandardStream.error.print("wrote \(path.escapedForTerminal)") }
    }
}
