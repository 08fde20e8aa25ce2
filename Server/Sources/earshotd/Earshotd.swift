import ArgumentParser
import Glibc

@main
enum Main {
    static func main() async {
        // The database holds what people publish: nobody else's.
        umask(0o077)
        await Earshotd.main()
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

            An app shows its key once and gets a session. Keys of one project share messages; keys of two projects \
            never see each other's. A key is shown when it is made, and stored as a hash.

            Every command takes the database with --database. Projects and keys may be changed while the service \
            runs. docs/SERVICE.md has the HTTP interface, a systemd unit, TLS, backup and limits.
            """,
        version: "0.1.0",
        subcommands: [ServeCommand.self, ProjectCommand.self, KeyCommand.self])
}

struct DatabaseOption: ParsableArguments {
    @Option(name: .long, help: "The SQLite database; made where it is missing.")
    var database = "earshotd.sqlite"
}
