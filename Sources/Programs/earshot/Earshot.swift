import ArgumentParser
import EarshotBasics
import EarshotConsole

@main
struct Earshot: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "earshot",
        abstract: "Send and receive small tokens as near-ultrasound, 18.5 to 20 kHz.",
        discussion: """
            A token is 8 bytes; any payload of 1 to 32 bytes travels the same way. Every device within earshot \
            hears it: no pairing, no network.

            TRY IT:
              earshot encode 0123456789abcdef -o token.wav
              earshot decode token.wav
              earshot inspect token.wav -o token.svg
              earshot loopback --via wav

            LIVE, in two terminals:
              earshot listen
              earshot broadcast 0123456789abcdef

            List the devices here, and test a pair of them:
              earshot devices
              earshot loopback --via alsa --device hw:1 --playback hw:0

            Find the conditions in which it works, without any devices:
              earshot simulate --channel room-b --plot curve.svg

            EXIT CODES:
              0   a token was found, a device works, output was written, or a test passed
              1   no token was found, or the test failed
              64  the command line is not valid
              65  the input is not usable sound, or is damaged
              66  the input does not exist or cannot be read
              69  a sound device is missing, is busy, or cannot do what the command needs
              71  there is not enough memory
              73  the output cannot be created
              74  reading or writing failed
              77  the system refuses access to a sound device
              130 interrupted by Ctrl-C (143: by a termination signal); Ctrl-C is the
                  normal end of 'listen', which then exits with 0 or 1

            ENVIRONMENT:
              PATH              where programs named earshot-NAME are found, after the
                                folder of earshot itself
              TMPDIR            the folder of temporary files, instead of /tmp
              ALSA_CONFIG_PATH  the configuration of ALSA, which names sound devices
              TERM              'dumb' is a terminal without progress lines
            \(moreCommands)
            """,
        version: ProgramVersion.current,
        subcommands: [
            EncodeCommand.self, DecodeCommand.self, ListenCommand.self, BroadcastCommand.self, LoopbackCommand.self,
            SimulateCommand.self, InspectCommand.self, DevicesCommand.self, FieldCommand.self, BenchmarkCommand.self,
        ]
    )

    static func main() {
        StandardStream.prepare()
        do {
            let arguments = try ProgramArguments.all
            try runExternalCommand(arguments)
            // The parser's error for a mistyped command would have no suggestion.
            if let mistake = CommandTree(Self.self).mistake(in: arguments) {
                throw Failure(.usage, mistake.escapedForTerminal)
            }
            var command = try parseAsRoot(arguments)
            try command.run()
        } catch let failure as Failure {
            failure.exit()
        } catch {
            leave(withError: error)
        }
    }

    private static let commandNames = Set(
        configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"])

    /// Runs the program for a command that `earshot` does not have. `help NAME` asks that program for its help.
    private static func runExternalCommand(_ arguments: [String]) throws(Failure) {
        // A shell asks for completions in this way.
        if arguments.first == "---completion", arguments.count > 1, !commandNames.contains(arguments[1]),
            let command = ExternalCommand(named: arguments[1])
        {
            try command.become(arguments)
        }
        guard let first = arguments.first, !first.hasPrefix("-") else { return }
        let isHelp = first == "help"
        guard let name = isHelp ? arguments.dropFirst().first : first, !name.hasPrefix("-"),
            !commandNames.contains(name)
        else { return }
        if let command = ExternalCommand(named: name) {
            try command.become(isHelp ? arguments.dropFirst(2) + ["--help"] : Array(arguments.dropFirst()))
        }
        let word = name.escapedForTerminal
        let remedy =
            NearestName.of(name, among: commandNames.sorted() + ExternalCommand.names).map {
                "Did you mean '\($0.escapedForTerminal)'? 'earshot --help' lists the commands."
            }
            ?? "'earshot --help' lists the commands."
            + (ExternalCommand.names.contains("nearby")
                ? "" : " More of them come with Debian's package earshot-nearby, or with 'make install-all'.")
        throw Failure(
            .usage,
            "earshot has no command '\(word)', and no program earshot-\(word) exists beside it or in PATH. \(remedy)")
    }

    /// The last paragraph of the help. It is empty unless help is printed, so that other commands do not read PATH.
    private static var moreCommands: String {
        let first = CommandLine.arguments.dropFirst().first
        guard first.map({ ["help", "-h", "--help", "--help-hidden"].contains($0) }) ?? true else { return "" }
        let names = ExternalCommand.names
        let list = names.isEmpty ? "none" : names.joined(separator: ", ")
        return """

            MORE COMMANDS, each a program earshot-NAME beside earshot or in PATH:
              \(list)
            """
    }
}
