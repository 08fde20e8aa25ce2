import ArgumentParser
import EarshotBasics
import EarshotServer
import Glibc

@main
enum Main {
    static func main() async {
        // The database holds published messages, so only its owner may read it.
        umask(0o077)
        // Swift reads the arguments through /proc. Without it the service would print its help and report success.
        guard CommandLine.argc > 0 else {
            Earshotd.exit(
                withError: ValidationError(
                    "Cannot read the arguments of this program: /proc/self/maps cannot be opened. Mount /proc, and look "
                        + "whether too many files are open."))
        }
        // The parser's error for a mistyped command would have no suggestion.
        if let mistake = commands(of: Earshotd.self).mistake(in: CommandLine.arguments.dropFirst()) {
            Earshotd.exit(withError: ValidationError(mistake))
        }
        do {
            var command = try Earshotd.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            leave(withError: error)
        }
    }

    /// Ends the process as `exit(withError:)` does, with a better message where there is one.
    private static func leave(withError error: any Error) -> Never {
        let isHelp = Earshotd.exitCode(for: error) == .success
        let text =
            isHelp
            ? ParserMessage.mistakenHelp(in: CommandLine.arguments.dropFirst())
            : ParserMessage.improved(Earshotd.fullMessage(for: error))
        guard let text else { Earshotd.exit(withError: error) }
        printError(text)
        Glibc.exit(ExitCode.validationFailure.rawValue)
    }

    private static func commands(of command: any ParsableCommand.Type) -> CommandTree {
        CommandTree(command._commandName, command.configuration.subcommands.map(commands))
    }
}

struct Earshotd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "earshotd",
        abstract: "The token service: messages between devices that hear each other.",
        discussion: """
            TRY IT:
              earshotd project create demo
              earshotd key create demo
              earshotd serve

            The Debian package's service runs already: leave 'serve' out, and type the others as its user, with its folder:
              sudo -u earshotd env STATE_DIRECTORY=/var/lib/earshotd \\
                earshotd project create demo

            An app sends its key once and gets a session. Keys of one project share messages; keys of two projects \
            never see each other's. The service shows a key once, when it is created, and stores its hash.

            Bluetooth beacons: 'earshotd beacon register' and 'earshotd beacon attach' put a message where a beacon is.

            Every command but copy takes the database with --database, or from the file of --configuration. Projects, keys and beacons may change while the service \
            runs. docs/SERVICE.md, in the Debian package /usr/share/doc/earshotd/SERVICE.md, has the HTTP interface, a systemd \
            unit, TLS, backup and limits.
            """,
        version: "earshotd \(EarshotServer.version)",
        subcommands: [
            ServeCommand.self, ProjectCommand.self, KeyCommand.self, BeaconCommand.self, NamespaceCommand.self,
            DeviceCommand.self, PublicationCommand.self, BackupCommand.self, CheckCommand.self, CopyCommand.self,
        ])
}

struct DatabaseOption: ParsableArguments {
    @Option(
        name: .customLong("database"),
        help: ArgumentHelp(
            """
            The SQLite database; 'serve' and 'project create' create a missing one. Or postgres://user@host/name, for several services together. \
            (default: that of --configuration, or earshotd.sqlite: in $STATE_DIRECTORY, which systemd sets for the service, or in this folder)
            """,
            valueName: "file or address"))
    var given: String?

    @Option(
        help: ArgumentHelp(
            "A file with an option of 'earshotd serve' in each line, such as 'port 8787'. The command line takes precedence.",
            valueName: "file"))
    var configuration: String?

    mutating func validate() throws {
        guard given == nil, let configuration else { return }
        let prefix = "--database="
        given = try ConfigurationFile.arguments(configuration).last { $0.hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.count)) }
    }

    var database: String { given ?? Self.stateFolder.map { "\($0)/earshotd.sqlite" } ?? "earshotd.sqlite" }

    /// The first folder of systemd's `StateDirectory=`, systemd.exec(5).
    private static var stateFolder: Substring? {
        guard let folders = getenv("STATE_DIRECTORY").map({ String(cString: $0) }) else { return nil }
        return folders.split(separator: ":").first
    }

    /// The database for messages, without a password.
    var name: String { StoreOpening.name(database) }
}
