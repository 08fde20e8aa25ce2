import ArgumentParser
import EarshotAudio
import EarshotCoding
import EarshotConsole
import EarshotDrawing
import EarshotModem
import Synchronization

struct BroadcastCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broadcast",
        abstract: "Play a token, or any payload of 1 to 32 bytes, again and again.",
        discussion: """
            Plays it through a loudspeaker every --interval seconds, a little earlier or later each time so that two \
            devices do not collide for ever, until --count is reached or Ctrl-C ends it: the one on the air is played \
            to its end. The stream stays open in between, so nothing clicks. A line is printed when a payload has left \
            the device.

            EXAMPLES:
              earshot broadcast 0123456789abcdef
              earshot broadcast --text "Hall 3, 14:00" --profile far --interval 10
              earshot broadcast 0123456789abcdef --profile far --burst 4
              earshot broadcast cafe --device hw:0 --count 1 --level -20

            A line of JSON:
              {"number":1,"token":"0123456789abcdef","bytes":8,"profile":"standard","start_s":0.250,"end_s":1.274,
              "time":"2026-11-21T14:03:22.157Z","underruns":0,"device":"default"}
            Times are those at which its first and last sample left the device, as far as that says. An underrun is a \
            hole in the sound: this machine was too busy.

            Exit codes: 0 all were sent, 69 no such device or it cannot be used, 77 no permission, 130 or 143 ended by \
            a signal before --count was reached.
            """)

    @OptionGroup var what: PayloadArguments

    @Option(help: ArgumentHelp("The playback PCM; 'earshot devices' lists them.", valueName: "pcm"))
    var device: String?

    @Option(help: ArgumentHelp("How often it is sent. (default: until Ctrl-C)", valueName: "count"))
    var count: Int?

    @OptionGroup var burst: BurstOption

    @Option(
        help: ArgumentHelp(
            "The time from one start to the next. (default: 3; with --burst its length and 2)", valueName: "seconds"))
    var interval: Double?

    @Option(help: ArgumentHelp("How much the interval varies, as a share of it, 0 to 0.5.", valueName: "share"))
    var jitter = 0.1

    @Option(help: "How it sounds: fast at arm's length, standard in a room, far across a hall.")
    var profile = ProfileName(.standard)

    @OptionGroup var loudness: LevelOption

    @Option(help: ArgumentHelp("The sample rate. (default: one that nothing resamples)", valueName: "hertz"))
    var rate: Int?

    @Option(
        help: ArgumentHelp(
            "Channels to play on, all alike, 1 to 8. (default: as few as possible)", valueName: "count"))
    var channels: Int?

    @Flag(
        inversion: .prefixedNo,
        help: "Wait for a device that is away, and go on. (default: --reconnect where --device is given)")
    var reconnect: Bool?

    @Flag(help: "Print a line of JSON for every payload sent.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print errors only.")
    var quiet = false

    func validate() throws {
        _ = try DeviceRequest.argument(device: device ?? "default", rate: rate, channels: channels)
        if let count, count < 1 { throw ValidationError("--count \(count): it has to be sent at least once.") }
        if !(0...0.5).contains(jitter) {
            throw ValidationError("--jitter \(DecimalText.short(jitter)): from 0 to 0.5 of the interval.")
        }
        if let interval, !(interval >= 0 && interval <= 86_400) {
            throw ValidationError("--interval \(DecimalText.short(interval)): from 0 s (no pause) to a day.")
        }
    }

    /// Between bursts there has to be a pause of random length, too.
    private var intervalSeconds: Double {
        interval ?? (burst.count > 1 ? profile.profile.burstSeconds(frameCount: burst.count) + 2 : 3)
    }

    func run() throws {
        let payload = try what.payload()
        try burst.check(payload)
        let ending = Ending()
        Interruption.request { ending.request() }
        let loop = try BroadcastLoop(
            BroadcastLoop.Plan(
                payload: payload, profile: profile.profile, burstCount: burst.count, levelDecibels: loudness.level,
                intervalSeconds: intervalSeconds, jitter: jitter, count: count),
            device: device ?? "default", rate: rate, channels: channels, reconnects: reconnect ?? (device != nil))
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
