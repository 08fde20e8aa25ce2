import CALSA
import Glibc

/// A PCM that a program can open by its name.
public struct ListedDevice: Sendable, Equatable {
    /// The name that `DeviceRequest` takes.
    public var name: String
    /// The description from the configuration or the driver, on one line; empty if there is none.
    public var description: String
    /// The directions of sound that the list states. Only a probe is certain.
    public var directions: [DeviceDirection]

    /// Creates an entry, also for a PCM that no list has, such as "hw:1,0".
    public init(
        name: String, description: String = "", directions: [DeviceDirection] = DeviceDirection.allCases
    ) {
        self.name = name
        self.description = description
        self.directions = directions
    }

    /// Whether most users want to see the PCM: a sound card, a sound server, or a PCM from a user's configuration.
    ///
    /// False for the entries that ALSA itself adds: the same card again behind a converter or in a certain arrangement
    /// of loudspeakers, digital outputs, effects, and bridges to older systems.
    public var isUsual: Bool {
        let family = name.prefix { $0 != ":" }
        return !Self.unusualFamilies.contains(String(family)) && !family.hasPrefix("surround")
            && !(name.hasPrefix("default:") || name.hasPrefix("sysdefault"))
    }

    /// The names that alsa-lib 1.2 and alsa-plugins 1.2 add.
    private static let unusualFamilies: Set<String> = [
        "a52", "center_lfe", "dmix", "dshare", "dsnoop", "front", "hdmi", "iec958", "jack", "lavrate", "modem", "null",
        "oss", "phoneline", "plughw", "rear", "samplerate", "side", "spdif", "speex", "speexrate", "upmix", "usbstream",
        "vdownmix",
    ]
}

/// All PCMs of this machine.
public struct DeviceList: Sendable, Equatable {
    /// "default" first, even if the configuration does not list it; then the sound cards' PCMs; then those of the
    /// configuration in its order. Each name appears once.
    public var devices: [ListedDevice]
    /// The number of sound cards that the kernel knows, ≥ 0.
    public var cardCount: Int

    /// Asks the kernel and ALSA's configuration (the one that $ALSA_CONFIG_PATH names, if set). Opens no device.
    /// - Parameter patienceSeconds: the maximum wait: a configuration may ask a sound server whether it runs.
    /// - Throws: `DeviceError` of the kind `vanished` if no answer arrives in time, `failed` if the configuration
    ///   cannot be read. Its device is "*".
    public static func read(patienceSeconds: Double = 5) throws(DeviceError) -> DeviceList {
        let inquiry = Inquiry { () -> Result<DeviceList, DeviceError> in
            let cards = SoundCards.read()
            let (hints, said) = ALSAMessages.collecting { hintedDevices() }
            switch hints {
            case .success(let hinted):
                let fallback = ListedDevice(name: "default")
                return .success(
                    DeviceList(devices: merge([fallback] + cards.devices, hinted), cardCount: cards.count))
            case .failure(let code):
                return .failure(.unreadable(Int(code.value), said: said))
            }
        }
        guard let result = inquiry.answer(within: patienceSeconds) else {
            throw DeviceError.unanswered("list", "*", seconds: patienceSeconds)
        }
        return try result.get()
    }

    /// The union; of two entries with one name the first, with the first description that is not empty.
    static func merge(_ first: [ListedDevice], _ second: [ListedDevice]) -> [ListedDevice] {
        var places: [String: Int] = [:]
        return (first + second).reduce(into: []) { all, device in
            if let place = places[device.name] {
                if all[place].description.isEmpty { all[place].description = device.description }
            } else {
                places[device.name] = all.count
                all.append(device)
            }
        }
    }

    private struct Code: Error {
        let value: CInt
    }

    private static func hintedDevices() -> Result<[ListedDevice], Code> {
        var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        let code = snd_device_name_hint(-1, "pcm", &hints)
        guard code >= 0, let hints else { return .failure(Code(value: code)) }
        defer { snd_device_name_free_hint(hints) }
        var devices: [ListedDevice] = []
        var place = hints
        while let hint = place.pointee {
            place += 1
            func text(_ key: String) -> String? {
                guard let text = snd_device_name_get_hint(hint, key) else { return nil }
                defer { free(text) }
                return String(cString: text)
            }
            guard let name = text("NAME"), !name.isEmpty else { continue }
            let directions: [DeviceDirection] =
                switch text("IOID") {
                case "Input": [.capture]
                case "Output": [.playback]
                default: DeviceDirection.allCases
                }
            let lines = (text("DESC") ?? "").split(whereSeparator: \.isNewline)
            devices.append(
                ListedDevice(name: name, description: lines.joined(separator: ", "), directions: directions))
        }
        return .success(devices)
    }
}

extension DeviceError {
    /// The error of a call that should take milliseconds and did not return.
    static func unanswered(_ operation: String, _ device: String, seconds: Double) -> DeviceError {
        DeviceError(
            .vanished, operation: operation, device: device,
            detail: "no answer within \(seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)") s",
            advice: "Its sound server or driver hangs: start it again, or name a device that needs none")
    }

    /// The error of a device that the probe did not try.
    static func unasked(_ device: String, _ waitingCount: Int) -> DeviceError {
        DeviceError(
            .failed, operation: "open", device: device,
            detail: "not tried, because \(waitingCount) other devices do not answer",
            advice: "Name it alone, or start their sound server again")
    }

    fileprivate static func unreadable(_ code: Int, said: String) -> DeviceError {
        let reason = String(cString: snd_strerror(CInt(truncatingIfNeeded: code)))
        return DeviceError(
            .failed, operation: "list", device: "*", detail: said.isEmpty ? reason : "\(reason) (\(said))",
            advice: "Repair ALSA's configuration: ~/.asoundrc, /etc/asound.conf, or what $ALSA_CONFIG_PATH names")
    }
}
