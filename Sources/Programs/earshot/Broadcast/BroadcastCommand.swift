import ArgumentParser
import EarshotAudio
import EarshotBasics
import EarshotCoding
import EarshotConsole
import EarshotModem
import EarshotSoundConsole
import Synchronization

struct BroadcastCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broadcast",
        abstract: "Play a token, or any payload of 1 to 32 bytes, repeatedly.",
        discussion: """
            Plays the payload through a loudspeaker every --interval seconds. Each start comes a little earlier or \
            later, so that two devices do not keep colliding. The command ends after --count payloads or with Ctrl-C, \
            and always plays the current payload to its end. The stream stays open during the pauses, so nothing \
            clicks. A line is printed when a payload has left the device.

            EXAMPLES:
              earshot broadcast 0123456789abcdef
              earshot broadcast --text "Hall 3, 14:00" --profile far --interval 10
              earshot broadcast 0123456789abcdef --profile far --burst 4
              earshot broadcast cafe --device hw:0 --count 1 --level -20

            A line of JSON:
              {"number":1,"token":"0123456789abcdef","bytes":8,"profile":"standard",
              "start_s":0.250,"end_s":1.359,"time":"2026-11-21T14:03:22.157Z",
              "underruns":0,"device":"default"}
            start_s and end_s are when the first and last sample left the device, as far as the device reports it. \
            An underrun is a hole in the sound: the device had no samples in time, because this machine is too busy, or because \
            a sound server wakes an output that slept. Receivers read most frames with a short hole.

            Exit codes: 0 all payloads were sent; 69 the device does not exist or cannot be used; 77 no permission; \
            130 or 143 a signal ended the command before --count was reached.
            """)

    @OptionGroup var content: PayloadArguments

    @Option(
        help: ArgumentHelp("The playback PCM; 'earshot devices' lists them.", valueName: "pcm"),
        completion: DeviceCompletion.playback)
    var device: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number of times to send the payload. (default: until Ctrl-C)", valueName: "count"))
    var count: Int?

    @OptionGroup var burst: BurstOption

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The time from one start to the next; 0 for no pause. (default: 3; with --burst, the burst's length plus 2)",
            valueName: "seconds"))
    var interval: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The maximum variation as a share of the interval, 0 to 0.5.", valueName: "share"))
    var jitter = 0.1

    @Option(help: "The profile: fast at arm's length, standard in a room, far across a hall.")
    var profile = ProfileName(.standard)

    @OptionGroup var loudness: LevelOption

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The sample rate. (default: one that needs no resampling)", valueName: "hertz"))
    var rate: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The number of channels, 1 to 8; all play the same. (default: as few as possible)", valueName: "count"))
    var channels: Int?

    @Flag(
        inversion: .prefixedNo,
        help: "Wait for a device that goes away, then continue. (default: --reconnect if --device is given)")
    var reconnect: Bool?

    @Flag(help: "Print a line of JSON for every payload sent.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print errors only.")
    var quiet = false

    func validate() throws {
        _ = try DeviceRequest.argument(device: device ?? "default", rate: rate, channels: channels)
        if let count, count < 1 { throw ValidationError("--count \(count): give 1 or more.") }
        if !(0...0.5).contains(jitter) {
            throw ValidationError("--jitter \(DecimalText.short(jitter)): give 0 to 0.5 of the interval.")
        }
        if let interval, !(interval >= 0 && interval <= 86_400) {
            throw ValidationError("--interval \(DecimalText.short(interval)): give 0 (no pause) to 86400 s (a day).")
        }
    }

    /// The interval in seconds. Between bursts, too, there has to be a pause of random length.
    private var intervalSeconds: Double {
        interval ?? (burst.count > 1 ? profile.profile.burstSeconds(frameCount: burst.count) + 2 : 3)
    }

    func run() throws {
        let payload = try content.payload()
        try burst.check(payload)
        let ending = Ending()
        Interruption.request { ending.request() }
        let plan = BroadcastLoop.Plan(
            payload: payload, profile: profile.profile, burstCount: burst.count, levelDecibels: loudness.level,
            intervalSeconds: intervalSeconds, jitter: jitter, count: count)
        let loop = try BroadcastLoop(
            plan,
            device: device ?? "default", rate: rate, channels: channels, reconnects: reconnect ?? (device != nil),
            isQuiet: quiet)
        ending.onRequest { loop.stop() }
        let output = BroadcastOutput(
            payload: payload, profile: profile.profile, format: loop.format, count: count, isJSON: json,
            isQuiet: quiet)
        output.opened()
        loop.run { output.take($0) }
        output.conclude()
        if let failure = output.failure { throw Failure(failure) }
        if let count, loop.sent < count { throw ExitCode(128 + Interruption.signalNumber) }
    }
}
