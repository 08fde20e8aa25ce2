import ArgumentParser
import EarshotAudio
import EarshotBluetooth
import EarshotConsole
import EarshotDiscovery
import EarshotMessages
import EarshotSound
import EarshotSoundConsole
import EarshotSystem
import Foundation

/// The options that `publish` and `subscribe` share.
struct MessageOptions: ParsableArguments {
    /// A part of the help of each command that has these options.
    static let environmentHelp = """
        ENVIRONMENT:
          EARSHOT_KEY      the project's key, without --key and --key-file
          EARSHOT_SERVICE  the address of earshotd, without --service
          XDG_CONFIG_HOME  the folder of earshot/service.json, instead of ~/.config
        """

    @Option(
        help: ArgumentHelp(
            "The project's key. Other users of this machine can read a command line, so prefer EARSHOT_KEY in the "
                + "environment or --key-file.", valueName: "key"))
    var key: String?

    @Option(help: ArgumentHelp("A file whose first line is the key.", valueName: "file"), completion: .file())
    var keyFile: FilePath?

    @Option(
        help: ArgumentHelp(
            "The address of earshotd. (default: EARSHOT_SERVICE, or the one in ~/.config/earshot/service.json, or "
                + "http://127.0.0.1:8787)", valueName: "url"))
    var service: String?

    @Flag(
        help: """
            The sound itself carries the messages: 1 to 32 bytes each, no service, no key. Every device in earshot can read \
            such messages and send them.
            """)
    var direct = false

    @Option(help: "Send tokens only, listen for tokens only, or both.")
    var mode: ModeArgument?

    @OptionGroup var media: MediaArguments

    @OptionGroup var sound: SoundArguments

    @OptionGroup var end: EndOptions

    @Flag(help: "Print lines of JSON.")
    var json = false

    @Flag(name: .shortAndLong, help: "On standard error print errors only.")
    var quiet = false

    @Flag(help: "Log progress on standard error, without keys, tokens or content.")
    var verbose = false

    func validate() throws {
        if key != nil, keyFile != nil { throw ValidationError("Both --key and --key-file are given; leave one out.") }
        if direct, key != nil || keyFile != nil || service != nil {
            throw ValidationError(
                "--direct with --key, --key-file or --service: messages in the sound itself need none of these.")
        }
        if direct, media.named.contains(.bluetooth) || media.adapter != nil {
            throw ValidationError("--direct with Bluetooth: only sound carries such messages. Leave --medium out.")
        }
        if !media.usesSound, sound.capture.device != nil || sound.playback != nil {
            throw ValidationError("--device or --playback without --medium audio: Bluetooth uses no sound device.")
        }
        try ProgramArguments.requireUTF8([("--key", key), ("--service", service)])
        if let service { _ = try Self.url(service) }
    }

    private static func url(_ text: String) throws(ValidationError) -> URL {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false,
            (1...65_535).contains(url.port ?? 80)
        else {
            throw ValidationError(
                "--service \"\(text.prefix(80).description.escapedForTerminal)\": "
                    + "give an address such as http://127.0.0.1:8787."
            )
        }
        return url
    }

    /// A key has fewer than a hundred bytes; the rest may be notes.
    private static let maximumKeyFileByteCount = 65_536

    /// The key from the options, a file or the environment; empty with `--direct`, which needs none.
    func projectKey() throws(Failure) -> String {
        if direct { return "" }
        if let key { return key }
        if let keyFile {
            let content = try InputFile.read(
                keyFile, maximumByteCount: Self.maximumKeyFileByteCount, "a file with a key")
            try FilePath("-").requireDistinct(from: [keyFile])
            let line =
                String(decoding: content, as: UTF8.self).split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
            guard !line.isEmpty else {
                throw Failure(.data, "'\(keyFile.escapedForTerminal)' holds no key; its first line must be the key.")
            }
            return line.trimmingCharacters(in: .whitespaces)
        }
        if let key = ProcessInfo.processInfo.environment["EARSHOT_KEY"], !key.isEmpty { return key }
        throw Failure(
            .usage,
            "No key given. Set EARSHOT_KEY or use --key-file. "
                + "'earshotd key create PROJECT' makes a key; --direct needs none."
        )
    }

    /// The address of the service, without a user's name and password.
    func serviceAddress() throws -> String {
        let url = try service.map(Self.url) ?? MessageManager.Configuration.system(media: { _ in [] }).serviceURL
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        parts?.user = nil
        parts?.password = nil
        return parts?.string ?? ""
    }

    /// A manager with these options. By typing the command the user consents to sound and network.
    func manager(_ output: MessageOutput) throws -> MessageManager {
        let log: @Sendable (String) -> Void = { output.note("· \($0)") }
        let (media, options, isDirect) = (media, sound.mediumOptions, direct)
        // The options name the devices, so an invalid file of devices is no reason to warn.
        var configuration = MessageManager.Configuration.system(media: { _ in [] }, log: verbose ? log : nil)
        // A message in an advertisement would have to be shorter than one in sound.
        configuration.media = { isDirect ? [SoundMedium(options)] : media.media(options) }
        if let service { configuration.serviceURL = try Self.url(service) }
        if !direct, let refusal = configuration.serviceRefusal { throw Failure(.usage, refusal) }
        configuration.permission = AlwaysGranted()
        let adapter = media.adapter
        configuration.beacons = { BluetoothBeacons(BluetoothAdapter(adapter)) }
        return MessageManager(key: try projectKey(), configuration: configuration)
    }

    func strategy(otherwise mode: DiscoveryMode) -> DiscoveryStrategy {
        var strategy = DiscoveryStrategy()
        strategy.mode = self.mode?.mode ?? mode
        return strategy
    }
}
