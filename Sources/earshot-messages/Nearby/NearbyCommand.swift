import ArgumentParser
import Dispatch
import EarshotAudio
import EarshotCoding
import EarshotConsole
import EarshotDiscovery
import EarshotDrawing
import EarshotModem

struct NearbyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearby",
        abstract: "Find the devices within earshot, and be found by them.",
        discussion: """
            Says a token again and again and listens for those of others. Prints a line when a device is found, heard \
            again, or lost; on a terminal those that are there are listed below, and a line is printed only for found \
            and lost. Ends with Ctrl-C, after --seconds, or when --count devices were found.

            Devices take turns by themselves: nobody leads, no network is used. Two find each other within about 4 s, \
            ten within 8 s. A device that has not been heard for as long as its and your turns explain is lost.

            With --mode scan no loudspeaker is opened and nobody learns of you; with --mode broadcast no microphone is. \
            A device that is missing or taken is a problem that is printed, and tried again until it is gone.

            EXAMPLES:
              earshot nearby
              earshot nearby --token 0123456789abcdef --json
              earshot nearby --mode scan --device hw:1
              earshot nearby --seconds 30 --count 1 && echo somebody is here

            Lines of JSON:
              {"event":"found","token":"0123456789abcdef","medium":"audio",
              "media":["audio"],"snr_db":23.1,"level_db":-41.0,"at_s":3.218,
              "time":"2026-11-22T14:03:22.157Z"}
            'updated' and 'lost' look the same; time is when the token was last heard, at_s when the line was printed, \
            from the start. Problems come and go as 'problem' and 'solved':
              {"event":"problem","problem":"no microphone","medium":"audio",
              "detail":"Cannot open …","at_s":0.012}

            Exit codes: 0 somebody was found, or nothing was to be found (--mode broadcast); 1 nobody was.
            """)

    @Option(help: ArgumentHelp("What to say, 1 to 32 bytes. (default: 8 bytes by chance)", valueName: "hex"))
    var token: String?

    @Option(help: "Only say the token, only listen, or both.")
    var mode = ModeArgument.both

    @Option(help: "The way to find each other; may be given several times. (default: all there are)")
    var medium: [MediumArgument] = []

    @Option(help: ArgumentHelp("The capture PCM; 'earshot devices' lists them.", valueName: "pcm"))
    var device: String?

    @Option(help: ArgumentHelp("The playback PCM.", valueName: "pcm"))
    var playback: String?

    @OptionGroup var loudness: LevelOption

    @Option(help: ArgumentHelp("End after so long.", valueName: "seconds"))
    var seconds: Double?

    @Option(help: ArgumentHelp("End when so many devices were found.", valueName: "count"))
    var count: Int?

    @Flag(help: "Print lines of JSON.")
    var json = false

    @Flag(name: .shortAndLong, help: "On standard error print errors only: no list, no notes.")
    var quiet = false

    enum MediumArgument: String, ExpressibleByArgument, CaseIterable {
        case audio

        var kind: DiscoveryMediumKind {
            switch self {
            case .audio: .audio
            }
        }
    }

    func validate() throws {
        for pcm in [device, playback].compactMap(\.self) {
            _ = try DeviceRequest.argument(device: pcm, rate: nil, channels: nil)
        }
        if let seconds, !(seconds > 0 && seconds <= 1e8) {
            throw ValidationError("--seconds \(DecimalText.short(seconds)): more than 0.")
        }
        if let count, count < 1 { throw ValidationError("--count \(count): at least one device.") }
        if mode == .broadcast, count != nil {
            throw ValidationError("--count with --mode broadcast: who does not listen finds nobody.")
        }
        if mode == .scan, token != nil {
            throw ValidationError("--token with --mode scan: who only listens says nothing.")
        }
        if mode == .scan, playback != nil {
            throw ValidationError("--playback with --mode scan: who only listens opens no loudspeaker.")
        }
        if mode == .broadcast, device != nil {
            throw ValidationError("--device with --mode broadcast: who does not listen opens no microphone.")
        }
    }

    func run() throws {
        let payload = try ownToken()
        // Before any thread: those that follow inherit who gets the signals.
        let ending = Ending()
        Interruption.request { ending.request() }
        var options = SoundMedium.Options(capture: device ?? "default", playback: playback ?? "default")
        options.levelDecibels = loudness.level
        let sound = SoundMedium(options)
        var strategy = DiscoveryStrategy()
        strategy.mode = mode.mode
        strategy.media = medium.isEmpty ? nil : Set(medium.map(\.kind))
        strategy.timeToLive = seconds.map { .seconds($0) }
        let discovery = Discovery(strategy, media: [sound], tokens: payload.map { .always($0) } ?? .none)
        let output = NearbyOutput(isJSON: json, isQuiet: quiet)
        output.begun(token: payload, mode: mode)
        let over = DispatchSemaphore(value: 0)
        let limit = count
        let task = Task {
            for await event in discovery.events() {
                output.take(event)
                if let limit, output.foundCount >= limit { break }
            }
            over.signal()
        }
        ending.onRequest { task.cancel() }
        while over.wait(timeout: .now() + 0.5) == .timedOut { output.refresh() }
        sound.waitForEnd(seconds: 2)
        output.conclude(mode: mode)
        if mode != .broadcast, output.foundCount == 0 { throw ExitCode(ExitStatus.noTokenFound.rawValue) }
    }

    /// What to say; nil where nothing is said.
    private func ownToken() throws -> Payload? {
        guard mode != .scan else { return nil }
        do throws(PayloadError) {
            if let token { return try Payload(hex: token) }
            return try Payload((0..<Payload.tokenCount).map { _ in UInt8.random(in: .min ... .max) })
        } catch {
            throw Failure(
                .usage, "Cannot say the token \"\((token ?? "").prefix(80).description.escapedForTerminal)\": \(error)."
            )
        }
    }
}
