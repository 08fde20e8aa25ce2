import ArgumentParser
import EarshotBluetooth
import EarshotConsole
import EarshotDiscovery
import EarshotSound

/// The media that carry tokens, for every command that sends and hears them.
struct MediaArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The media that carry tokens: audio (near-ultrasound), ble (Bluetooth Low Energy), or both. (default: audio, and "
                + "ble if this machine has it)", valueName: "audio,ble"))
    var medium: [MediumList] = []

    @Option(help: ArgumentHelp("The Bluetooth adapter. (default: the first that is on)", valueName: "hci0"))
    var adapter: String?

    func validate() throws {
        if let adapter {
            try AdapterName.check(adapter)
            if !usesBluetooth {
                throw ValidationError("--adapter without --medium ble: sound needs no Bluetooth adapter.")
            }
        }
    }

    /// The media that the user named; empty without `--medium`.
    var named: [DiscoveryMediumKind] { medium.flatMap(\.kinds) }
    var usesSound: Bool { named.isEmpty || named.contains(.audio) }
    var usesBluetooth: Bool { named.isEmpty || named.contains(.bluetooth) }

    /// The media, sound on these devices.
    func media(_ sound: SoundMedium.Options) -> [any DiscoveryMedium] {
        var media: [any DiscoveryMedium] = []
        if usesSound { media.append(SoundMedium(sound)) }
        if usesBluetooth {
            // If the user named no medium, a machine without Bluetooth does not need it.
            let isOptional = named.isEmpty && adapter == nil
            media.append(BluetoothMedium(BluetoothMedium.Options(adapter: adapter, isOptional: isOptional)))
        }
        return media
    }
}

/// Names of media, with commas between them.
struct MediumList: ExpressibleByArgument {
    private static let all: [DiscoveryMediumKind] = [.audio, .bluetooth]

    let kinds: [DiscoveryMediumKind]

    init?(argument: String) {
        let names = argument.split(separator: ",", omittingEmptySubsequences: false)
        kinds = names.compactMap { name in Self.all.first { $0.name == name } }
        guard kinds.count == names.count else { return nil }
    }

    static var allValueStrings: [String] { all.map(\.name) }
}
