import ArgumentParser
import EarshotAudio
import EarshotConsole
import EarshotSoundConsole

struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List sound devices and show which can carry 18.5 to 20 kHz, and the Bluetooth adapters.",
        discussion: """
            Opens each device and reads its abilities; plays and records nothing. 'yes': the rate and the encoding are \
            enough. 'likely': they are enough if the underlying device runs at 44.1 kHz or more; a sound server reveals \
            neither its rate nor whether it plays and records. 'no': the reason is on the next line. 'busy': another \
            program uses the device. Rates are the device's own, without resampling. Only a trial shows how a loudspeaker \
            or a microphone behaves near 20 kHz.

            Without --all the list has 'default', sound cards ('hw:'), sound servers, and the devices of your own \
            configuration. --all adds the devices that ALSA defines automatically: the same cards with converters \
            ('plughw:', 'sysdefault:'), loudspeaker layouts ('front:', 'surround51:'), digital outputs ('iec958:', \
            'hdmi:'), effects, 'null', and bridges to OSS and JACK. A device named as an argument is always shown.

            Below them are the Bluetooth adapters, and whether bluetoothd runs with --experimental, which changes how it \
            scans and advertises, with what to do about it. Arguments, --capture and --playback leave them out; they need \
            earshot-messages, of the package earshot-nearby or 'make all'.

            EXAMPLES:
              earshot devices
              earshot devices --capture hw:1,0 plughw:CARD=Mic
              earshot devices --json | jq -r 'select(.band == "yes") | .name'

            JSON, one line for each device and direction: name, direction ("capture", "playback"), description, band \
            ("yes", "likely", "no", "unknown") and the reason; warning if something may resample. A device that \
            answered has also: kind ("hardware", "shared", "converter", "resampler", "soundServer", "file", "null"), \
            card (its number), rate_hz, encoding and channels (Earshot's choice), rates_hz (of the usual rates), \
            lowest_rate_hz, highest_rate_hz, encodings (those that Earshot handles), other_encodings, fewest_channels, \
            most_channels, hardware_rate_hz (of a running sound card behind a sound server). A device that did not \
            answer has: error ("notFound", "busy", "notPermitted", "vanished", "unsupported", "failed") and advice. An \
            unknown value has no key.

            A Bluetooth adapter has: name, direction ("bluetooth"), powered, bluetoothd ("experimental", "stock", \
            "noLowEnergy") and advice. Without an adapter, a line has direction, problem and advice.

            Exit codes: 0 at least one device shown can be used; 77 no device can be used and the system refuses \
            access to some; 69 otherwise.
            """)

    @Argument(help: ArgumentHelp("Show only these devices, even if they are in no list.", valueName: "name"))
    var names: [String] = []

    @Flag(help: "Show devices that can record.")
    var capture = false

    @Flag(help: "Show devices that can play. (default: both)")
    var playback = false

    @Flag(help: "Also show the devices that ALSA defines automatically.")
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
        // Libraries that ALSA loads, such as JACK's, print to standard error. The command reports the failures itself.
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
        if names.isEmpty, capture == playback {
            ExternalCommand(named: "messages")?.run(["adapters"] + (json ? ["--json"] : []))
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
            StandardStream.output.print("\nlikely: yes, if the underlying device runs at 44100 Hz or more")
        }
    }

    /// The failure if no device can be used, with advice. `cardCount` is nil if the arguments name devices.
    private func failure(_ devices: [ProbedDevice], cardCount: Int?) -> Failure {
        let errors = devices.compactMap { if case .failure(let error) = $0.outcome { error } else { nil } }
        if let refused = errors.first(where: { $0.kind == .notPermitted }) { return Failure(refused) }
        let purpose =
            directions.count > 1 ? "send or receive" : directions == [.capture] ? "receive" : "send"
        guard let cardCount else {
            return Failure(
                .unavailable,
                "None of these devices can \(purpose) 18.5 to 20 kHz. 'earshot devices' lists all devices here.")
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
              - start your sound server: systemctl --user start pipewire-pulse,
                or pulseaudio --start (Debian: apt install pulseaudio libasound2-plugins)
              - plug in a USB sound card or headset
              - sudo modprobe snd-aloop makes a sound card whose capture records its own playback
              - for tests without a card or root: Tests/Support/virtual-sound-card.sh
                in Earshot's sources
            """)
    }
}
