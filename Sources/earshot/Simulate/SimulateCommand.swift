import ArgumentParser
import EarshotChannel
import EarshotCoding
import EarshotConsole
import EarshotDrawing
import EarshotLoopback
import EarshotModem
import Glibc

struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Send frames through simulated air, and say how many arrive at which signal-to-noise ratio.",
        discussion: """
            Each trial sends a random payload from a random moment on, through the channel, and lets the receiver listen \
            for every profile. A frame counts as decoded when exactly what was sent is reported; anything else that is \
            reported is wrong.

            SNR is a sine of the frame's peak over the noise in 1,500 Hz; Eb/N0 is the energy of the whole frame, sync \
            tones included, over the payload's bits. The intervals are Wilson's, 95 %. A point is left as soon as it is \
            known to --precision. The same seed gives the same answer, with any number of threads.

            EXAMPLES:
              earshot simulate --list
              earshot simulate
              earshot simulate --profile far --channel room-b --snr -10:0:0.5 --plot far.svg
              earshot simulate --burst 4 --combine 4 --snr -14:-11:0.5
              earshot simulate --profile fast --profile standard --channel walk --csv > walk.csv

            IN YOUR OWN CI, a step that fails when a change costs reception (the seed is fixed, so nothing but a change \
            of the code can change the answer):
              earshot simulate --channel room-a --snr 3 --min-success 0.97

            JSON, a line for each point:
              {"profile":"standard","channel":"awgn","snr_db":-8.5,"trials":1000,
              "success":0.826,"low":0.801,"high":0.848,"wrong":0,"duplicates":0,
              "sent":1000,"decoded":826,"eb_n0_db":5.3}
            and a last one for each profile:
              {"profile":"standard","channel":"awgn","seed":1,"points":6,
              "snr_50_db":-9.23,"snr_50_low_db":-9.27,"snr_50_high_db":-9.18,"eb_n0_50_db":4.57,
              "snr_90_db":-8.22,"snr_90_low_db":-8.38,"snr_90_high_db":-8.07,"eb_n0_90_db":5.58,
              "bound_90_db":-9.71,"passed":true}
            A crossing that the points do not reach, or the end of its 95 % interval, is null.

            EXIT CODES:
              0   it was simulated, and every point reaches --min-success
              1   one does not, or something wrong was decoded at --min-success
              64 and above: see earshot --help
            """)

    @Option(help: "Simulate this profile; may be given several times. (default: standard)")
    var profile: [ProfileName] = []

    @Option(help: ArgumentHelp("The air: a name that --list prints.", valueName: "name"))
    var channel = "awgn"

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Signal-to-noise ratios in decibels: from:to:step, a list with commas, or one. (default: where the "
                + "share decoded falls from all to nothing, which is looked for first)",
            valueName: "a:b:step"))
    var snr: SNRPoints?

    @Option(help: ArgumentHelp("Trials a point, at most.", valueName: "number"))
    var trials = 1_000

    @Option(
        help: ArgumentHelp(
            "Leave a point once its 95 % interval is this narrow to either side; 0 makes all trials.",
            valueName: "percent"))
    var precision = 2.0

    @Option(help: ArgumentHelp("Where payloads, places and noise come from.", valueName: "number"))
    var seed = 1

    @Option(help: ArgumentHelp("Trials under way at the same time. (default: one a core)", valueName: "number"))
    var threads: Int?

    @Option(help: ArgumentHelp("Bytes of payload, 1 to 32.", valueName: "number"))
    var bytes = Payload.tokenCount

    @Option(
        help: ArgumentHelp("Send each token this often, in a burst: 1 to 8 times.", valueName: "number"))
    var burst = 1

    @Option(
        help: ArgumentHelp("Let the receiver read so many repeats in a burst together, 2 to 8.", valueName: "number"))
    var combine: Int?

    @Option(help: ArgumentHelp("The transmitter's sample rate.", valueName: "hertz"))
    var rate = 48_000

    @Option(
        help: ArgumentHelp(
            "A recording as the noise: the first channel's first two minutes, as loud in the band as white noise.",
            valueName: "file"), completion: .file())
    var noise: String?

    @Option(
        name: .customLong("min-success"),
        help: ArgumentHelp("Fail where a smaller share than this is decoded, 0 to 1.", valueName: "share"))
    var minSuccess: Double?

    @Flag(help: "Print the channels there are, and end.")
    var list = false

    @Flag(help: "Print lines of JSON.")
    var json = false

    @Flag(help: "Print comma-separated values under a line of names.")
    var csv = false

    @Option(
        help: ArgumentHelp("Draw the curves, and the bound of theory, as SVG.", valueName: "file"), completion: .file())
    var plot: String?

    @Flag(name: .shortAndLong, help: "On standard error print errors only: no progress, no notes.")
    var quiet = false

    func validate() throws {
        _ = try ChannelName.preset(channel)
        if !(1...10_000_000).contains(trials) {
            throw ValidationError("--trials \(trials): 1 to 10000000 trials are made a point.")
        }
        if !(0...50).contains(precision) {
            throw ValidationError("--precision \(DecimalText.short(precision)): between 0 and 50 percent.")
        }
        if seed < 0 { throw ValidationError("--seed \(seed): a seed is a whole number from 0 up.") }
        if let threads, !(1...1_024).contains(threads) {
            throw ValidationError("--threads \(threads): 1 to 1024 trials are under way at the same time.")
        }
        if !Payload.validCounts.contains(bytes) {
            throw ValidationError("--bytes \(bytes): a payload has 1 to 32 bytes.")
        }
        try CombineOption.check(combine)
        try BurstOption.check(burst)
        if burst != 1, bytes != Payload.tokenCount {
            throw ValidationError("--burst \(burst) with --bytes \(bytes): bursts are of tokens, which have 8 bytes.")
        }
        if let minSuccess, !(0...1).contains(minSuccess) {
            throw ValidationError(
                "--min-success \(DecimalText.short(minSuccess)): a share lies between 0 and 1, as 0.97 does.")
        }
        if json, csv { throw ValidationError("Both --json and --csv are given; leave one out.") }
        if plot == "-" {
            throw ValidationError("--plot -: standard output has the figures, so name a file for the picture.")
        }
    }

    func run() throws {
        if list { return StandardStream.output.print(ChannelList.lines(json: json).joined(separator: "\n")) }
        let preset = try ChannelName.preset(channel)
        let simulations = try makeSimulations(in: preset)
        let progress = ProgressBar(partCount: simulations.count, isEnabled: !quiet)
        Interruption.handle {
            for simulation in simulations { simulation.cancel() }
            Interruption.awaitSettled()
        }
        let output = SimulateOutput(form: json ? .json : csv ? .csv : .text, progress: progress)
        output.begin()
        var curves: [SimulatedCurve] = []
        for (index, simulation) in simulations.enumerated() {
            curves.append(curve(of: simulation, part: index, output, progress))
        }
        progress.clear()
        let wasInterrupted = Interruption.isRequested
        if let plot, curves.contains(where: { !$0.points.isEmpty }) {
            try TextFile.write(WaterfallPicture(curves, seed: seed, summary: preset.summary).document(), to: plot)
            if !quiet { StandardStream.error.print("wrote \(plot.escapedForTerminal)") }
        }
        if wasInterrupted { Interruption.settle() }
        if isShort(curves) { throw ExitCode(1) }
    }

    private func makeSimulations(in preset: AirPreset) throws -> [Simulation] {
        var scene = AirScene()
        scene.air = preset.air
        scene.payloadByteCount = bytes
        scene.burstCount = burst
        scene.combinedCount = combine ?? 1
        scene.sampleRateHertz = rate
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
        of simulation: Simulation, part: Int, _ output: SimulateOutput, _ progress: ProgressBar
    ) -> SimulatedCurve {
        var curve = SimulatedCurve(simulation.order.scene, channel: channel)
        // Looking for the range takes about as long as a third of the points.
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
        output.end(curve, seed: seed, leastShare: minSuccess)
        return curve
    }

    /// What else decides what is measured, as it is typed.
    private var options: String {
        var options = ["--trials \(trials)", "--seed \(seed)"]
        if precision != 2 { options.append("--precision \(DecimalText.short(precision))") }
        if bytes != Payload.tokenCount { options.append("--bytes \(bytes)") }
        if burst != 1 { options.append("--burst \(burst)") }
        if let combine { options.append("--combine \(combine)") }
        if rate != 48_000 { options.append("--rate \(rate)") }
        if let noise { options.append("--noise '\(noise.escapedForTerminal)'") }
        return options.joined(separator: " ")
    }

    /// Whether --min-success was missed; says where, and how to see it again.
    private func isShort(_ curves: [SimulatedCurve]) -> Bool {
        guard let minSuccess else { return false }
        var isShort = false
        for curve in curves {
            for point in curve.failures(minimumShare: minSuccess) {
                isShort = true
                StandardStream.error.print(
                    SimulateOutput.failure(point, curve, leastShare: minSuccess, options: options))
            }
        }
        return isShort
    }
}
