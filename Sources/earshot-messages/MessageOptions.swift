import ArgumentParser
import EarshotAudio
import EarshotConsole
import EarshotDiscovery
import EarshotDrawing
import EarshotMessages
import Foundation

/// What publishing and subscribing ask for alike.
struct MessageOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The project's key. Others on this machine can read a command line: EARSHOT_KEY in the environment or --key-file "
                + "is better.", valueName: "key"))
    var key: String?

    @Option(help: ArgumentHelp("A file whose first line is the key.", valueName: "file"), completion: .file())
    var keyFile: String?

    @Option(
        help: ArgumentHelp(
            "Where earshotd is. (default: EARSHOT_SERVICE, or what ~/.config/earshot/service.json says, or "
                + "http://127.0.0.1:8787)", valueName: "url"))
    var service: String?

    @Flag(help: "In the sound itself: 1 to 32 bytes, no service, no key, readable by anybody, sent by anybody.")
    var direct = false

    @Option(help: "Only say tokens, only listen for them, or both.")
    var mode: ModeArgument?

    @Option(help: ArgumentHelp("The capture PCM; 'earshot devices' lists them.", valueName: "pcm"))
    var device: String?

    @Option(help: ArgumentHelp("The playback PCM.", valueName: "pcm"))
    var playback: String?

    @OptionGroup var loudness: LevelOption

    @Option(help: ArgumentHelp("End after so long.", valueName: "seconds"))
    var seconds: Double?

    @Flag(help: "Print lines of JSON.")
    var json = false

    @Flag(name: .shortAndLong, help: "On standard error print errors only.")
    var quiet = false

    @Flag(help: "Say on standard error what goes on: no key, token or content.")
    var verbose = false

    func validate() throws {
        for pcm in [device, playback].compactMap(\.self) {
            _ = try DeviceRequest.argument(device: pcm, rate: nil, channels: nil)
        }
        if let seconds, !(seconds > 0 && seconds <= 1e8) {
            throw ValidationError("--seconds \(DecimalText.short(seconds)): more than 0.")
        }
        if key != nil, keyFile != nil { throw ValidationError("--key and --key-file: one of them.") }
        if direct, key != nil || keyFile != nil || service != nil {
            throw ValidationError(
                "--direct with --key, --key-file or --service: what is in the sound itself needs none.")
        }
        if let service { _ = try Self.url(service) }
    }

    private static func url(_ text: String) throws(ValidationError) -> URL {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false else {
            throw ValidationError(
                "--service \"\(text.prefix(80).description.escapedForTerminal)\": an address such as http://127.0.0.1:8787."
            )
        }
        return url
    }

    /// The key of options, file or environment; empty where none is needed.
    func projectKey() throws(Failure) -> String {
        if direct { return "" }
        if let key { return key }
        if let keyFile {
            let content: String
            do {
                content = try String(contentsOfFile: keyFile, encoding: .utf8)
            } catch {
                throw Failure(
                    .noInput, "Cannot read the key from '\(keyFile.escapedForTerminal)': \(error.localizedDescription)")
            }
            let line = content.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
            guard !line.isEmpty else {
                throw Failure(.data, "There is no key in the first line of '\(keyFile.escapedForTerminal)'.")
            }
            return line.trimmingCharacters(in: .whitespaces)
        }
        if let key = ProcessInfo.processInfo.environment["EARSHOT_KEY"], !key.isEmpty { return key }
        throw Failure(
            .usage,
            "There is no key: set EARSHOT_KEY, or give --key-file. 'earshotd key create PROJECT' makes one; --direct needs none."
        )
    }

    /// A manager of these options. Whoever types the command consents by doing so.
    func manager(_ output: MessageOutput) throws -> MessageManager {
        let log: @Sendable (String) -> Void = { output.note("· \($0)") }
        var configuration = MessageManager.Configuration.system(log: verbose ? log : nil)
        if let service { configuration.serviceURL = try Self.url(service) }
        configuration.permission = AlwaysGranted()
        var sound = SoundMedium.Options(capture: device ?? "default", playback: playback ?? "default")
        sound.levelDecibels = loudness.level
        let options = sound
        configuration.media = { [SoundMedium(options)] }
        return MessageManager(key: try projectKey(), configuration: configuration)
    }

    func strategy(otherwise mode: DiscoveryMode) -> DiscoveryStrategy {
        var strategy = DiscoveryStrategy()
        strategy.mode = self.mode?.mode ?? mode
        return strategy
    }
}
