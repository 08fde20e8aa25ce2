import ArgumentParser
import Foundation
import Glibc
import Logging
import SimplePushKit
import SimplePushServer

@main
struct SimplePushServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simplepush-server",
        abstract: "Passes texts and calls on, on a network without internet.",
        discussion: """
            Make a secret once, and copy its file to every client:

                (umask 077; simplepush-server secret > secret)
                simplepush-server run --secret-file secret --database simplepush.sqlite

            The server keeps what it has accepted in the database until the recipient's program has it, for a week. Ctrl-C or \
            SIGTERM ends it; 'kill -9' loses nothing that it has accepted.
            """,
        subcommands: [Run.self, Secret.self])
}

extension SimplePushServerCommand {
    struct Secret: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print a new secret of 160 random bits.")

        func run() { print(SharedSecret.random()) }
    }

    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Serve until Ctrl-C or SIGTERM.")

        @Option(help: ArgumentHelp("The address to listen at.", valueName: "address"))
        var host = "0.0.0.0"

        @Option(help: ArgumentHelp("The port; 0 lets the system choose one.", valueName: "port"))
        var port = WireFormat.defaultPort

        @Option(help: ArgumentHelp("A file with the secret that all clients share.", valueName: "file"))
        var secretFile: String?

        @Flag(
            help: "Serve without a secret and without encryption: anyone on the network can read and forge everything.")
        var insecure = false

        @Option(help: ArgumentHelp("The database: users, and the messages that wait for them.", valueName: "file"))
        var database = "simplepush.sqlite"

        @Option(help: ArgumentHelp("The number of seconds that a call rings.", valueName: "seconds"))
        var ringSeconds = ServerLimits().ringSeconds

        @Option(help: ArgumentHelp("The number of days that a text waits for its recipient.", valueName: "days"))
        var keepDays = ServerLimits().waitingSeconds / 86_400

        @Option(help: ArgumentHelp("The number of texts and calls that wait for one user.", valueName: "count"))
        var keepCount = ServerLimits().waitingCount

        @Option(help: ArgumentHelp("The number of simultaneous links; a client has two.", valueName: "count"))
        var links = ServerLimits().linkCount

        @Option(help: ArgumentHelp("trace, debug, info, notice, warning or error.", valueName: "level"))
        var logLevel = "info"

        @Flag(help: "Print the address as a JSON line.")
        var json = false

        func validate() throws {
            guard insecure || secretFile != nil else {
                throw ValidationError(
                    "Name the secret with --secret-file; 'simplepush-server secret' makes one. Or say --insecure.")
            }
            guard !insecure || secretFile == nil else {
                throw ValidationError("--insecure and --secret-file exclude each other.")
            }
            guard (0...65_535).contains(port) else { throw ValidationError("A port is 0 to 65535.") }
            guard ringSeconds > 0, ringSeconds <= 3_600 else { throw ValidationError("A call rings 1 to 3600 s.") }
            guard keepDays > 0, keepDays <= 3_650 else { throw ValidationError("A text waits up to 3650 days.") }
            guard (1...100_000).contains(keepCount) else { throw ValidationError("--keep-count is 1 to 100000.") }
            guard (2...1_000_000).contains(links) else { throw ValidationError("--links is 2 to 1000000.") }
            guard Logger.Level(rawValue: logLevel) != nil else {
                throw ValidationError("There is no log level '\(logLevel)'.")
            }
        }

        func run() async throws {
            do {
                try await serve()
            } catch let error as ExitCode {
                throw error
            } catch {
                complain("\(error)")
                throw ExitCode(error is SecretError ? EX_NOINPUT : EX_UNAVAILABLE)
            }
        }

        private func serve() async throws {
            let security: PushSecurity
            if let secretFile {
                security = .sharedSecret(try SharedSecret(fileAt: secretFile))
            } else {
                security = .insecure
                complain("warning: --insecure: everybody on the network can read and forge all texts and calls.")
            }
            var options = ServerOptions(security: security, databasePath: database)
            options.address = ServerAddress(host: host, port: port)
            options.limits.ringSeconds = ringSeconds
            options.limits.waitingSeconds = keepDays * 86_400
            options.limits.waitingCount = keepCount
            options.limits.linkCount = links
            var log = Logger(label: "simplepush-server") { StreamLogHandler.standardError(label: $0) }
            log.logLevel = Logger.Level(rawValue: logLevel) ?? .info

            let signals = EndingSignals()
            let server = try await PushServer.start(options, log: log)
            let protection = insecure ? "without protection" : "with TLS and the shared secret"
            print(
                json
                    ? #"{"event":"listening","host":"\#(server.address.host)","port":\#(server.address.port)}"#
                    : "listening at \(server.address), \(protection)")
            fflush(nil)
            await signals.first()
            await server.stop()
        }
    }
}

private func complain(_ sentence: String) {
    FileHandle.standardError.write(Data("simplepush-server: \(sentence)\n".utf8))
}
