import ArgumentParser
import EarshotAudio
import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotConsole
import EarshotDrawing
import EarshotLoopback
import EarshotModem
import EarshotSoundConsole
import EarshotSystem
import Glibc

struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Send frames through simulated air and count how many arrive at each signal-to-noise ratio.",
        discussion: """
            Each trial sends a random payload at a random moment through the channel to a receiver that listens for \
            every profile. In a channel with several talkers each sends a payload of its own; with --alike these \
            count up in their last byte, as people number their devices. A frame counts as decoded if the receiver \
            reports exactly the payload sent; any other report counts as wrong.

            SNR is a sine of the frame's peak over the noise in 1,500 Hz. Eb/N0 is the energy of the whole frame, sync \
            tones included, over the payload's bits. The intervals are Wilson's, 95 %, of independent tokens; those of \
            one trial with several talkers are not, so the true interval is wider, by 1.6 where it was measured. A point ends as soon as it reaches \
            --precision. The same seed gives the same result with any number of threads.

            EXAMPLES:
              earshot simulate --list
              earshot simulate
              earshot simulate --profile far --channel room-b --snr -10:0:1 --plot far.svg
              earshot simulate --burst 4 --combine 4 --snr -14:-11:0.5
              earshot simulate --channel crowd-4 --alike --snr 15
              earshot simulate --profile fast --profile far --channel walk --csv > w.csv

            IN YOUR OWN CI, a step that fails if a change costs reception (the seed is fixed, so only a change of the \
            code can change the result):
              earshot simulate --channel room-a --snr -5 --min-success 0.95

            JSON, one line for each point:
              {"profile":"standard","channel":"awgn","snr_db":-10,"trials":1000,
              "success":0.8090,"low":0.7835,"high":0.8322,"wrong":0,"duplicates":0,
              "sent":1000,"decoded":809,"eb_n0_db":4.15}
            and a last line for each profile:
              {"profile":"standard","channel":"awgn","seed":1,"points":18,
              "snr_50_db":-10.81,"snr_50_low_db":-10.88,"snr_50_high_db":-10.74,
              "eb_n0_50_db":3.34,"snr_90_db":-9.67,"snr_90_low_db":-9.77,
              "snr_90_high_db":-9.55,"eb_n0_90_db":4.48,"bound_90_db":-9.74,
              "coherent_bound_90_db":-12.19,"passed":true}
            The bounds are of theory, in white noise: by the tones' energies alone, and with known phases. \
            A crossing that the points do not reach is null, and so is the end of its 95 % interval. With --noise each \
            line has "noise", the file's name, after "channel".

            EXIT CODES:
              0   the simulation ran, and every point reaches --min-success
              1   with --min-success: a point does not reach it, or a frame was wrong
              64 and above: see earshot --help
            """)

    @Option(help: "Simulate this profile; may be given several times. (default: standard)")
    var profile: [ProfileName] = []

    @Option(
        help: ArgumentHelp("The channel: a name that --list prints.", valueName: "name"),
        completion: ChannelName.completion)
    var channel = "awgn"

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Signal-to-noise ratios in decibels: from:to:step, a list with commas, or one value. (default: the range "
                + "where the share decoded falls from 1 to 0, which a search finds first, and one point at 36 dB)",
            valueName: "a:b:step"))
    var snr: SNRPoints?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The maximum number of trials for each point.", valueName: "number")
    )
    var trials = 1_000

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "End a point once its 95 % interval is this narrow to either side; 0 runs all trials.",
            valueName: "percent"))
    var precision = 2.0

    @Option(parsing: .unconditional, help: ArgumentHelp("The seed of payloads, places and noise.", valueName: "number"))
    var seed = 1

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Trials at the same time. (default: one for each core)", valueName: "number"))
    var threads: Int?

    @Option(parsing: .unconditional, help: ArgumentHelp("Bytes of payload, 1 to 32.", valueName: "number"))
    var bytes = Payload.tokenCount

    @Flag(help: "Let the payloads of several talkers differ only in their last byte.")
    var alike = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Send each token as a burst of this many frames, 1 to 8.", valueName: "number"))
    var burst = 1

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Let the receiver combine this many repeats of a burst, 2 to 8.", valueName: "number"))
    var combine: Int?

    @Option(parsing: .unconditional, help: ArgumentHelp("The transmitter's sample rate.", valueName: "hertz"))
    var rate = 48_000

    @Option(
        help: ArgumentHelp(
            "A recording as the noise: its first channel's first two minutes, as loud in the band as white noise.",
            valueName: "file"),
        completion: .file())
    var noise: FilePath?

    @Option(
        name: .customLong("min-success"),
        parsing: .unconditional,
        help: ArgumentHelp("Fail if a point decodes a smaller share than this, 0 to 1.", valueName: "share"))
    var minSuccess: Double?

    @Flag(help: "Decode each microphone of an array on its own, instead of all together.")
    var separate = false

    @Flag(help: "Print the available channels, and end.")
    var list = false

    @Flag(help: "Print lines of JSON.")
    var json = false

    @Flag(help: "Print comma-separated values below a line of names.")
    var csv = false

    @Option(
        help: ArgumentHelp("Draw the curves and the theoretical bound as SVG.", valueName: "file"), completion: .file())
    var plot: FilePath?

    @OptionGroup var picture: ThemeOption

    @Flag(name: .shortAndLong, help: "On standard error print errors only: no progress, no notes.")
    var quiet = false

    func validate() throws {
        _ = try ChannelName.preset(channel)
        if !(1...10_000_000).contains(trials) {
            throw ValidationError("--trials \(trials): give 1 to 10000000 trials for each point.")
        }
        if !(0...50).contains(precision) {
            throw ValidationError("--precision \(DecimalText.short(precision)): give 0 to 50 percent.")
        }
        try plot.map { try OutputFormat.svg.check($0, option: "--plot") }
        try snr?.check()
        if seed < 0 { throw ValidationError("--seed \(seed): give a whole number from 0 up.") }
        if let threads, !(1...1_024).contains(threads) {
            throw ValidationError("--threads \(threads): give 1 to 1024 trials at the same time.")
        }
        if !Payload.validCounts.contains(bytes) {
            throw ValidationError("--bytes \(bytes): give 1 to 32 bytes.")
        }
        try CombineOption.check(combine)
        try BurstOption.check(burst)
        if burst != 1, bytes != Payload.tokenCount {
            throw ValidationError("--burst \(burst) with --bytes \(bytes): a burst carries a token, which has 8 bytes.")
        }
        if let minSuccess, !(0...1).contains(minSuccess) {
            throw ValidationError(
                "--min-success \(DecimalText.short(minSuccess)): give a share from 0 to 1, such as 0.97.")
        }
        if json, csv { throw ValidationError("Both --json and --csv are given; leave one out.") }
        try picture.check(drawsPicture: plot != nil, option: "--plot")
        if plot == "-" {
            throw ValidationError("--plot -: standard output has the figures, so name a file for the picture.")
        }
    }

    func run() throws {
        if list { return StandardStream.output.print(ChannelList.lines(json: json).joined(separator: "\n")) }
        if let noise { for output in [plot, "-"] { try output?.requireDistinct(from: [noise]) } }
        let preset = try ChannelName.preset(channel)
        let simulations = try makeSimulations(in: preset)
        if let plot {
            try OutputFormat.requireNoSound(plot, option: "--plot")
            try OutputFormat.requireFolder(of: plot, option: "--plot")
        }
        let progress = ProgressBar(partCount: simulations.count, isEnabled: !quiet)
        Interruption.handle {
            for simulation in simulations { simulation.cancel() }
            Interruption.awaitSettled()
        }
        let output = SimulateOutput(form: json ? .json : csv ? .csv : .text, progress: progress, noise: noise)
        output.begin()
        var curves: [SimulatedCurve] = []
        for (index, simulation) in simulations.enumerated() {
            let isLast = index == simulations.count - 1
            curves.append(curve(of: simulation, part: index, isLast: isLast, output, progress))
        }
        progress.clear()
        let wasInterrupted = Interruption.isRequested
        if let plot, curves.contains(where: { !$0.points.isEmpty }) {
            let summary =
                noise.map { "the noise of \($0.escapedForTerminal) in place of the channel's own" } ?? preset.summary
            let document = WaterfallPicture(curves, seed: seed, summary: summary).document()
            try TextFile.write(picture.theme.applied(to: document), to: plot)
            if !quiet { StandardStream.error.print("wrote \(plot.escapedForTerminal)") }
        }
        if wasInterrupted { Interruption.settle() }
        if isShort(curves) { throw ExitCode(1) }
    }

    private func makeSimulations(in preset: AirPreset) throws -> [Simulation] {
        var scene = AirScene()
        scene.air = preset.air
        scene.payloadByteCount = bytes
        scene.arePayloadsAlike = alike
        scene.burstCount = burst
        scene.combinedCount = combine ?? 1
        scene.sampleRateHertz = rate
        scene.separatesChannels = separate
        if let noise { scene.air.noise = try NoiseFile.read(noise, sampleRateHertz: rate) }
        let profiles = profile.isEmpty ? [Profile.standard] : ProfileName.selected(profile)
        var simulations: [Simulation] = []
        for profile in profiles {
            scene.profile = profile
            var order = SimulationOrder(scene)
            order.trialCount = trials
            order.minimumTrialCount = min(trials, order.minimumTrialCount)
            order.precision = precision / 100
            order.seed = UInt64(seed)
            order.threadCount = threads ?? max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))
            do throws(ModemError) {
                simulations.append(try Simulation(order))
            } catch {
                throw Failure(.usage, "Cannot simulate with --rate \(rate): \(error).")
            }
        }
        return simulations
    }

    /// Measures one profile and prints each point as soon as it is known.
    private func curve(
        of simulation: Simulation, part: Int, isLast: Bool, _ output: SimulateOutput, _ progress: ProgressBar
    ) -> SimulatedCurve {
        var curve = SimulatedCurve(simulation.order.scene, channel: channel)
        // The search for the range takes about as long as a third of the points.
        let searchShare = snr == nil ? 0.25 : 0
        let found =
            snr?.decibels
            ?? SimulationScan.points(of: simulation) { progress.update(part: part, fraction: searchShare * $0) }
        guard let wanted = found else { return curve }
        for (index, snrDecibels) in wanted.enumerated() {
            let point = simulation.point(snrDecibels: snrDecibels) { fraction in
                let done = (Double(index) + fraction) / Double(wanted.count)
                progress.update(part: part, fraction: searchShare + (1 - searchShare) * done)
            }
            guard let point else { return curve }
            curve.points.append(point)
            output.add(point, curve)
        }
        output.end(curve, seed: seed, minimumShare: minSuccess, isLast: isLast)
        return curve
    }

    /// The other options that decide the measurement, as the user would type them.
    private var options: String {
        var options = ["--trials \(trials)", "--seed \(seed)"]
        if precision != 2 { options.append("--precision \(DecimalText.short(precision))") }
        if bytes != Payload.tokenCount { options.append("--bytes \(bytes)") }
        if alike { options.append("--alike") }
        if burst != 1 { options.append("--burst \(burst)") }
        if let combine { options.append("--combine \(combine)") }
        if separate { options.append("--separate") }
        if rate != 48_000 { options.append("--rate \(rate)") }
        if let noise { options.append("--noise '\(noise.escapedForTerminal)'") }
        return options.joined(separator: " ")
    }

    /// Whether a point missed --min-success. Prints each such point and the command that repeats it.
    private func isShort(_ curves: [SimulatedCurve]) -> Bool {
        guard let minSuccess else { return false }
        var isShort = false
        for curve in curves {
            for point in curve.failures(minimumShare: minSuccess) {
                isShort = true
                StandardStream.error.print(
                    SimulateOutput.failure(point, curve, minimumShare: minSuccess, options: options))
            }
        }
        return isShort
    }
}
