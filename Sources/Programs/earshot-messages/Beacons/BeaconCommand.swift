import ArgumentParser
import Dispatch
import EarshotBluetooth
import EarshotConsole
import NearbyWire

struct BeaconCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beacon",
        abstract: "Make this machine a Bluetooth beacon.",
        usage: """
            earshot beacon --eddystone <namespace>:<instance> [<options>]
            earshot beacon --ibeacon <uuid>:<major>:<minor> [<options>]
            earshot beacon --altbeacon <company>:<identifier> [<options>]
            earshot beacon --url <url> [<options>]
            earshot beacon --eddystone <namespace>:<instance> --telemetry
            """,
        discussion: """
            Broadcasts the identity of a beacon with a Bluetooth adapter until Ctrl-C, or for --seconds, and receives \
            nothing. 'earshot beacons' on another machine shows it, and 'earshotd beacon' registers it, so that \
            subscriptions find its messages.

            The namespace is 20 hexadecimal digits, for example the first ten bytes of a hash of your domain's name; the \
            instance is 12. The UUID may have hyphens or not; major and minor are 0 to 65535. An AltBeacon has the number \
            of a company, such as 0x0118, and 40 digits. An address begins with http:// or https:// and has room for 17 \
            bytes after that and 'www.'; endings such as .com/ take one. It has no identity, so nothing can be registered for it.

            --telemetry sends Eddystone-TLM as well, renewed every 10 s: the time since the start, the voltage of this \
            machine's battery if it has one, and the number of frames, calculated from the interval, because BlueZ does \
            not count them.

            --power is the strength that a receiver at 1 m measures. Others compute the distance from it. It \
            does not change the adapter's transmission. Measure it with 'earshot beacons' at 1 m.

            EXAMPLES:
              earshot beacon --eddystone 00112233445566778899:aabbccddeeff
              earshot beacon --ibeacon f7826da6-4fa2-4e98-8024-bc5b71e0893e:1:2
              earshot beacon --url https://example.org/hall3 --telemetry
              earshot beacon --eddystone 00112233445566778899:000000000001 \\
                --power -65 --seconds 60 --adapter hci1

            Exit codes: 0 the beacon was in the air; 69 it never was.
            """)

    @Option(help: ArgumentHelp("The identity of an Eddystone-UID beacon.", valueName: "namespace:instance"))
    var eddystone: String?

    @Option(help: ArgumentHelp("The identity of an iBeacon.", valueName: "uuid:major:minor"))
    var ibeacon: String?

    @Option(help: ArgumentHelp("The identity of an AltBeacon.", valueName: "company:identifier"))
    var altbeacon: String?

    @Option(help: ArgumentHelp("The web address of an Eddystone-URL beacon.", valueName: "url"))
    var url: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The strength at 1 m that the beacon claims.", valueName: "dbm"))
    var power = CalibratedPower.typicalAtOneMetreDecibelMilliwatts

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Time between two frames, 20 to 10240 ms; BlueZ may choose another.", valueName: "ms"))
    var interval: Int?

    @Flag(help: "Send telemetry as well, with --eddystone or --url.")
    var telemetry = false

    @OptionGroup var end: EndOptions

    @OptionGroup var bluetooth: AdapterArgument

    @Flag(name: .shortAndLong, help: "On standard error print errors only: no notes.")
    var quiet = false

    func validate() throws {
        if telemetry, eddystone == nil, url == nil {
            throw ValidationError("--telemetry: only Eddystone has it. Give --eddystone or --url.")
        }
        // The permitted maximum, 20 dBm at the antenna, is -21 dBm at 1 m.
        if !(-128 ... -21).contains(power) {
            throw ValidationError("--power \(power): give -128 to -21 dBm, such as -59.")
        }
        if let interval, !(20...10_240).contains(interval) {
            throw ValidationError("--interval \(interval): give 20 to 10240 ms.")
        }
    }

    /// The frame to send.
    private func frame() throws -> BeaconFrame {
        let given = [("eddystone", eddystone), ("ibeacon", ibeacon), ("altbeacon", altbeacon), ("url", url)].compactMap
        {
            (name, value) in value.map { (name, $0) }
        }
        guard let (name, value) = given.first, given.count == 1 else {
            throw Failure(
                .usage, "Give one of --eddystone, --ibeacon, --altbeacon and --url. See 'earshot beacon --help'.")
        }
        if name == "url" {
            guard let frame = EddystoneURL(url: value, strengthAtOneMetreDecibelMilliwatts: power) else {
                throw Failure(
                    .usage,
                    "--url \(value.prefix(80).description.escapedForTerminal): give http:// or https:// and visible ASCII "
                        + "that fits into 17 bytes, 'www.' not counted. Take a short address that leads to the long one."
                )
            }
            return .eddystoneURL(frame)
        }
        do {
            // The whole text form has the format's name too.
            let isWhole = value.lowercased().hasPrefix("\(name):")
            let identifier = try BeaconIdentifier(text: isWhole ? value : "\(name):\(value)")
            guard let frame = BeaconFrame(identifier, strengthAtOneMetreDecibelMilliwatts: power) else {
                preconditionFailure("an identity from a text is complete")
            }
            return frame
        } catch {
            throw Failure(.usage, "--\(name) \(value.prefix(80).description.escapedForTerminal): \(error).")
        }
    }

    private func advertisement() throws -> Advertisement {
        guard var advertisement = try frame().advertisement else {
            preconditionFailure("an identity is sent in the plain")
        }
        advertisement.interval = interval.map { .milliseconds($0) }
        return advertisement
    }

    func run() throws {
        // Before any thread starts: threads inherit the signal mask.
        let advertisement = try advertisement()
        let ending = Ending()
        Interruption.request { ending.request() }
        let identity = try frame().identifier?.text ?? url ?? ""
        let output = BeaconOutput(identity: identity, isQuiet: quiet)
        let radio = bluetooth.radio
        let over = DispatchSemaphore(value: 0)
        let seconds = end.seconds
        let contents =
            telemetry
            ? BeaconTelemetrySource(intervalMilliseconds: interval).contents(beside: advertisement)
            : AsyncStream { $0.yield([advertisement]) }
        let task = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await event in radio.advertise(contents) { output.take(event) }
                }
                group.addTask {
                    try? await Task.sleep(for: .seconds(seconds ?? 1e9))
                }
                // Either ends the other.
                await group.next()
                group.cancelAll()
            }
            // Wait until bluetoothd has stopped the advertisement.
            await radio.waitUntilClosed()
            over.signal()
        }
        ending.onRequest { task.cancel() }
        over.wait()
        output.conclude()
        if !output.wasInTheAir { throw ExitCode(ExitStatus.unavailable.rawValue) }
    }
}
