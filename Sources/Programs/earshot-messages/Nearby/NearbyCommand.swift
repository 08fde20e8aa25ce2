import ArgumentParser
import Dispatch
import EarshotAudio
import EarshotCoding
import EarshotConsole
import EarshotDiscovery
import EarshotModem
import EarshotSoundConsole

struct NearbyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearby",
        abstract: "Find the devices within earshot, and be found by them.",
        usage: "earshot nearby [<options>]",
        discussion: """
            Sends a token repeatedly and listens for the tokens of other devices. Prints a line when a device is \
            found, heard again, or lost. On a terminal it lists the devices that are present, and prints lines only \
            for found and lost. Ends with Ctrl-C, after --seconds, or when --count devices were found.

            By sound, devices take turns without a leader and without a network. Two find each other \
            within about 4 s, ten within 8 s. A device is lost when its silence lasts longer than its turns and yours \
            explain. By Bluetooth, devices find each other within about 2 s, and one is lost 9 s after it was last \
            heard, or up to 64 s if it was heard badly. A device heard by both is listed once, and lost only when neither hears it.

            With --mode scan the program opens no loudspeaker and does not advertise, so other devices do not notice \
            you. With --mode broadcast it opens no microphone and does not scan. If a device is missing or busy, a line \
            says so, and the program retries until the device works. Bluetooth needs bluetoothd, and no root; it carries \
            tokens of at most 10 bytes.

            EXAMPLES:
              earshot nearby
              earshot nearby --token 0123456789abcdef --json
              earshot nearby --mode scan --device hw:1
              earshot nearby --medium ble --adapter hci1
              earshot nearby --seconds 30 --count 1 && echo "a device is here"

            Lines of JSON:
              {"event":"found","token":"0123456789abcdef","medium":"audio",
              "media":["audio"],"snr_db":23.1,"level_db":-41.0,"at_s":3.218,
              "time":"2026-11-22T14:03:22.157Z"}
            'updated' and 'lost' look the same. By Bluetooth there is rssi_dbm, the signal strength, if the adapter reports \
            it. medium is the one that heard the device last, media lists all that hear it. time is when the token was last heard; at_s is when the line was \
            printed, in seconds from the start. A 'problem' line reports a problem, and a 'solved' line its end:
              {"event":"problem","problem":"no microphone","medium":"audio",
              "detail":"Cannot open …","at_s":0.012}

            Exit codes: 0 a device was found, or --mode broadcast does not listen; 1 no device was found.
            """)

    @Option(
        help: ArgumentHelp(
            "The token to send, 1 to 32 bytes; by Bluetooth at most 10. (default: 8 random bytes)", valueName: "hex"))
    var token: String?

    @Option(help: "Send the token only, listen only, or both.")
    var mode = ModeArgument.both

    @OptionGroup var media: MediaArguments

    @OptionGroup var sound: SoundArguments

    @OptionGroup var presence: PresenceOptions

    func validate() throws {
        if mode == .broadcast, presence.count != nil {
            throw ValidationError("--count with --mode broadcast: this mode does not listen, so it finds no device.")
        }
        if mode == .scan, token != nil {
            throw ValidationError("--token with --mode scan: this mode sends nothing. Leave --token out.")
        }
        if !media.usesSound, sound.capture.device != nil || sound.playback != nil {
            throw ValidationError("--device or --playback without --medium audio: Bluetooth uses no sound device.")
        }
        if mode == .scan, sound.playback != nil {
            throw ValidationError("--playback with --mode scan: this mode opens no loudspeaker. Leave --playback out.")
        }
        if mode == .broadcast, sound.capture.device != nil {
            throw ValidationError("--device with --mode broadcast: this mode opens no microphone. Leave --device out.")
        }
    }

    func run() throws {
        let payload = try ownToken()
        // Before any thread starts: threads inherit the signal mask.
        let ending = Ending()
        Interruption.request { ending.request() }
        let media = media.media(sound.mediumOptions)
        var strategy = DiscoveryStrategy()
        strategy.mode = mode.mode
        strategy.timeToLive = presence.end.seconds.map { .seconds($0) }
        let discovery = Discovery(strategy, media: media, tokens: payload.map { .always($0) } ?? .none)
        let output = NearbyOutput(PresenceOutput(presence))
        output.begun(token: payload, mode: mode)
        let over = DispatchSemaphore(value: 0)
        let limit = presence.count
        let task = Task {
            for await event in discovery.events() {
                output.take(event)
                if let limit, output.foundCount >= limit { break }
            }
            // The devices close before the program ends.
            for medium in media { await medium.waitUntilClosed() }
            over.signal()
        }
        ending.onRequest { task.cancel() }
        while over.wait(timeout: .now() + 0.5) == .timedOut { output.refresh() }
        output.conclude(mode: mode)
        if mode != .broadcast, output.foundCount == 0 { throw ExitCode(ExitStatus.noTokenFound.rawValue) }
    }

    /// The token to send; nil if the mode sends nothing.
    private func ownToken() throws -> Payload? {
        guard mode != .scan else { return nil }
        do throws(PayloadError) {
            if let token { return try Payload(hex: token) }
            return try Payload((0..<Payload.tokenCount).map { _ in UInt8.random(in: .min ... .max) })
        } catch {
            throw Failure(
                .usage, "Cannot send --token \"\((token ?? "").prefix(80).description.escapedForTerminal)\": \(error)."
            )
        }
    }
}
