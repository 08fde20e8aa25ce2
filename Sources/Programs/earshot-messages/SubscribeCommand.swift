import ArgumentParser
import EarshotConsole
import EarshotDiscovery
import EarshotMessages

struct SubscribeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribe",
        abstract: "Receive the messages that are published within earshot.",
        usage: "earshot subscribe [<options>]",
        discussion: """
            Listens for tokens, asks the service, earshotd, for their messages, and prints a line when a message is \
            found and when it is lost: withdrawn, expired, or no longer within earshot. Unless --mode is scan, it also \
            sends a token of its own, so that publishers find it. Ends with Ctrl-C, after --seconds, or when --count \
            messages were found.

            With --beacons it prints the messages that the project attached to Bluetooth beacons nearby ('earshotd beacon \
            attach'): found when the beacon is first heard, lost when it is out of range. Without --medium and --mode, it \
            looks for beacons only, and neither listens nor sends. Other projects' messages are found only if --namespace \
            names a public namespace.

            Messages in the sound itself ('publish --direct') are printed like any other and marked as not \
            authenticated. With --direct the program prints only these and needs no service.

            EXAMPLES:
              export EARSHOT_KEY=$(cat key.txt)
              earshot subscribe
              earshot subscribe --type menu --count 1 --json
              earshot subscribe --direct --mode scan
              earshot subscribe --beacons --no-ibeacons --low-power
              earshot subscribe --beacons --medium audio,ble

            Lines of JSON with --json; "base64" replaces "text" if the content is not UTF-8:
              {"event":"found","text":"hello","bytes":5,"type":"","namespace":"",
              "authenticated":true,"id":"…","at_s":3.402,
              "time":"2026-11-22T14:03:22.157Z"}
            A 'lost' line looks the same. "status", "problem" and "solved" are as with 'publish'.

            \(MessageOptions.environmentHelp)

            Exit codes: 0 a message was found; 1 no message was found.
            """)

    @Option(help: "Receive only messages of this type. (default: all types)")
    var type = ""

    @Option(help: "Receive the messages of this namespace.")
    var namespace = ""

    @Flag(help: "Receive the messages of Bluetooth beacons; those of devices too if --medium or --mode is given.")
    var beacons = false

    @Flag(name: .customLong("no-ibeacons"), help: "Ignore iBeacons.")
    var noIBeacons = false

    @Flag(help: "Let the radio pause between scans: beacons are found later. Needs --no-ibeacons.")
    var lowPower = false

    @OptionGroup var options: MessageOptions

    @Option(parsing: .unconditional, help: ArgumentHelp("End when this many messages were found.", valueName: "count"))
    var count: Int?

    func validate() throws {
        try ProgramArguments.requireUTF8([("--type", type), ("--namespace", namespace)])
        if let count, count < 1 { throw ValidationError("--count \(count): give 1 or more messages.") }
        if options.direct, !type.isEmpty || !namespace.isEmpty {
            throw ValidationError(
                "--direct with --type or --namespace: messages in the sound itself have neither. Leave them out.")
        }
        if options.direct, beacons {
            throw ValidationError("--direct with --beacons: messages of beacons need the service. Leave one out.")
        }
        if noIBeacons || lowPower, !beacons {
            throw ValidationError("--no-ibeacons and --low-power are for beacons. Add --beacons.")
        }
        if lowPower, !noIBeacons {
            throw ValidationError("--low-power: iBeacons need the radio all the time. Add --no-ibeacons.")
        }
        if options.direct, options.mode == .broadcast {
            throw ValidationError("--direct with --mode broadcast: this mode does not listen, so it receives nothing.")
        }
    }

    private var beaconStrategy: BeaconStrategy {
        var strategy = BeaconStrategy()
        strategy.includesIBeacons = !noIBeacons
        strategy.prefersLowPower = lowPower
        return strategy
    }

    func run() throws {
        let run = MessageRun()
        let output = MessageOutput(
            isJSON: options.json, isQuiet: options.quiet, serviceAddress: try options.serviceAddress())
        let manager = try options.manager(output)
        let subscription: Subscription
        do throws(MessageError) {
            let strategy = options.strategy(otherwise: options.direct ? .scan : .both)
            if beacons {
                let findsDevices = options.mode != nil || !options.media.named.isEmpty
                subscription = try manager.subscribe(
                    namespace: namespace, type: type, beacons: beaconStrategy, strategy: findsDevices ? strategy : nil)
            } else if options.direct {
                subscription = try manager.subscribeDirectly(strategy: strategy)
            } else {
                subscription = try manager.subscribe(namespace: namespace, type: type, strategy: strategy)
            }
        } catch {
            throw Failure(.usage, "Cannot subscribe: \(error).")
        }
        let limit = count
        run.run(manager, seconds: options.end.seconds, output, statuses: subscription.statuses) {
            for await event in subscription {
                output.take(event)
                if let limit, output.foundCount >= limit { return }
            }
        }
        let found = output.foundCount
        output.conclude("\(found) \(found == 1 ? "message" : "messages") found in")
        if found == 0 { throw ExitCode(ExitStatus.noTokenFound.rawValue) }
    }
}
