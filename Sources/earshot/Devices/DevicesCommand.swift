import ArgumentParser
import EarshotAudio
import EarshotConsole

struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List sound devices, and say which can carry 18.5 to 20 kHz.",
        discussion: """
            Each device is opened and asked; nothing is played or recorded. 'yes': its rate and encoding are enough. \
            'likely': if what is behind it runs at 44.1 kHz or more; a sound server does not tell, nor whether that \
            plays and records. 'no': the reason stands below it. 'busy': another program has it. Rates are the \
            device's own, without resampling. Whether a loudspeaker or a microphone is any good near 20 kHz only a \
            trial can tell.

            Shown are 'default', sound cards ('hw:'), sound servers, and what stands in your own configuration. What \
            ALSA adds by itself needs --all: the same cards again behind converters ('plughw:', 'sysdefault:'), \
            arrangements of loudspeakers ('front:', 'surround51:'), digital outputs ('iec958:', 'hdmi:'), effects, \
            'null', and bridges to OSS and JACK. A device that is named is always shown.

            EXAMPLES:
              earshot devices
              earshot devices --capture hw:1,0 plughw:CARD=Mic
              earshot devices --json | jq -r 'select(.band == "yes") | .name'

            JSON, one line for each device and direction: name, direction ("capture", "playback"), description, \
            band ("yes", "likely", "no", "unknown") and the reason; warning where something may resample. Of a \
            device that answered: kind ("hardware", "shared", "converter", "resampler", "soundServer", "file", \
            "null"), card (its number), rate_hz, encoding and channels (what Earshot would choose), rates_hz (of the \
            usual rates), lowest_rate_hz, highest_rate_hz, encodings (those Earshot handles), other_encodings, \
            fewest_channels, most_channels, hardware_rate_hz (of a sound card at work behind a sound server). Of one \
            that did not: error ("notFound", "busy", "notPermitted", "vanished", "unsupported", "failed") and \
            advice. What is not known has no key.

            The exit code is 0 when one of the devices shown can be used, 77 when none can and the system refuses \
            access to some, else 69.
            """)

    @Argument(help: ArgumentHelp("Show only these, whether any list has them or not.", valueName: "name"))
    var names: [String] = []

    @Flag(help: "Show what can record.")
    var capture = false

    @Flag(help: "Show what can play. (default: both)")
    var playback = false

    @Flag(help: "Show also what ALSA adds by itself.")
    var all = false

    @Flag(help: "Write JSON, one line for each device and direction.")
    var json = false

    func validate() throws {
        if names.contains("") { throw ValidationError("The name of a device is empty.") }
    }

    func run() throws {
        do {
            try report()
        } catch let error as DeviceError {
            throw Failure(error)
        }
    }

    private var directions: [DeviceDirection] {
        capture == playback ? [.capture, .playback] : capture ? [.capture] : [.playback]
    }

    private func report() throws {
        // Libraries that ALSA loads, such as JACK's, talk to standard error. We report what failed ourselves.
        let (list, devices) = try StandardStream.error.silenced {
            let list = names.isEmpty ? try DeviceList.read() : nil
            let shown = list?.devices.filter { all || $0.isUsual } ?? names.map { ListedDevice(name: $0) }
            return (list, ProbedDevice.probe(shown, directions))
        }
        if json {
            for device in devices { StandardStream.output.print(device.json.text) }
        } else {
            printText(devices)
        }
        guard devices.contains(where: \.isUsable) else { throw failure(devices, cardCount: list?.cardCount) }
    }

    private func printText(_ devices: [ProbedDevice]) {
        let width = WrappedText.outputWidth
        for (index, direction) in directions.enumerated() {
            let those = devices.filter { $0.direction == direction }
            StandardStream.output.print(
                (index == 0 ? "" : "\n") + (direction == .capture ? "Capture" : "Playback")
                    + (those.isEmpty ? ": none" : ""))
            for device in those { StandardStream.output.print(device.text(width: width)) }
        }
        if devices.contains(where: { $0.verdict == .likely }) {
            StandardStream.output.print("\nlikely: if what is behind it runs at 44100 Hz or more")
        }
    }

    /// Why nothing can be used, and what would help; `cardCount` is nil where devices were named.
    private func failure(_ devices: [ProbedDevice], cardCount: Int?) -> Failure {
        let errors = devices.compactMap { if case .failure(let error) = $0.outcome { error } else { nil } }
        if let refused = errors.first(where: { $0.kind == .notPermitted }) { return Failure(refused) }
        let purpose =
            directions.count > 1 ? "send or receive" : directions == [.capture] ? "receive" : "send"
        guard let cardCount else {
            return Failure(
                .unavailable,
                "None of these devices can \(purpose) 18.5 to 20 kHz. 'earshot devices' lists those that are there.")
        }
        let cards =
            switch cardCount {
            case 0: "The kernel knows no sound card"
            case 1: "The kernel knows 1 sound card"
            default: "The kernel knows \(cardCount) sound cards"
            }
        return Failure(
            .unavailable,
            """
            No sound device here can \(purpose) 18.5 to 20 kHz. \(cards). What helps:
              - start your sound server: systemctl --user start pipewire-pulse (or pulseaudio --start)
              - plug in a USB sound card or headset
              - modprobe snd-aloop makes a card whose capture hears its playback
              - for tests without a card or root: scripts/virtual-sound-card.sh of Earshot's sources
            """)
    }
}
