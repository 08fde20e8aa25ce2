#if Postgres
    import EarshotPostgres
    import Foundation
    import Synchronization

    @testable import EarshotServer

    /// A PostgreSQL server in a folder of its own, without a port: it listens at a socket in that folder. It ends with this
    /// process, even if that is killed.
    ///
    /// PostgreSQL refuses to run as root, so root's tests start it as the user `nobody`.
    final class PostgresServer: Sendable {
        struct Failure: Error, CustomStringConvertible {
            let description: String
        }

        let directory: URL
        private let options: String
        /// The end of the pipe that the server's guard waits on.
        private let guardian = Mutex<Process?>(nil)

        /// The server of the tests that need no server of their own. It does not wait for the disk.
        static let shared = Result { try PostgresServer(options: "-c fsync=off -c max_connections=300") }

        /// Makes a folder with an empty server, and starts it.
        init(options: String = "") throws {
            directory = FileManager.default.temporaryDirectory
                .appendingPathComponent("earshot-postgres-\(UUID().uuidString.prefix(8))")
            self.options = options
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            if getuid() == 0 { _ = try Self.run("/bin/chown", ["nobody", directory.path]) }
            let (program, arguments) = try Self.asUser([
                Self.programs() + "/initdb", "--auth=trust", "--username=earshot", "--no-sync", "--no-locale",
                "--encoding=UTF8", "--pgdata=\(directory.path)/data",
            ])
            _ = try Self.run(program, arguments)
            try start()
        }

        deinit {
            kill()
            try? FileManager.default.removeItem(at: directory)
        }

        /// The address of a database.
        func address(_ database: String = "postgres") -> String {
            "postgres://earshot@/\(database)?host=\(directory.path)"
        }

        /// Makes an empty database.
        /// - Returns: its address.
        func makeDatabase() throws -> String {
            let name = "d\(UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased())"
            try PostgresConnection(PostgresAddress(address())).run(script: "CREATE DATABASE \(name)")
            return address(name)
        }

        /// Starts the server, and waits until it answers.
        func start() throws {
            // The shell ends the server when this process, which has the other end of the pipe, has ended.
            let script = """
                "$0" -D "$1/data" -c listen_addresses= -c unix_socket_directories="$1" \(options) >>"$1/log" 2>&1 &
                cat >/dev/null
                kill -QUIT $! 2>/dev/null
                """
            let (program, arguments) = try Self.asUser(
                ["/bin/sh", "-c", script, Self.programs() + "/postgres", directory.path])
            let process = Process()
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = arguments
            process.standardInput = Pipe()
            try process.begin()
            guardian.withLock { $0 = process }
            let end = ContinuousClock.now + .seconds(30)
            while (try? PostgresConnection(PostgresAddress(address()))) == nil {
                guard ContinuousClock.now < end else {
                    let log = (try? String(contentsOf: directory.appendingPathComponent("log"), encoding: .utf8)) ?? ""
                    throw Failure(description: "PostgreSQL does not start: \(log)")
                }
                usleep(20_000)
            }
        }

        /// Kills the server and all its processes as a loss of power does, and waits until all have ended: a process that lives
        /// holds the shared memory, and the next start fails.
        func kill() {
            let file = directory.appendingPathComponent("data/postmaster.pid")
            guard let text = try? String(contentsOf: file, encoding: .utf8),
                let server = text.split(separator: "\n").first.flatMap({ Int32($0) })
            else { return }
            // A stopped server starts no further process while this reads the list.
            Glibc.kill(server, SIGSTOP)
            let list = (try? Self.run("/usr/bin/pgrep", ["-P", "\(server)"])) ?? ""
            let processes = [server] + list.split(separator: "\n").compactMap { Int32($0) }
            for process in processes { Glibc.kill(process, SIGKILL) }
            for process in processes { while Glibc.kill(process, 0) == 0 { usleep(1_000) } }
        }

        /// The folder of PostgreSQL's programs, which is not in Debian's PATH.
        private static func programs() throws -> String {
            let folder = "/usr/lib/postgresql"
            let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            guard let version = versions.compactMap({ Int($0) }).max() else {
                throw Failure(description: "no PostgreSQL below \(folder): scripts/install-dependencies.sh test")
            }
            return "\(folder)/\(version)/bin"
        }

        private static func asUser(_ command: [String]) throws -> (String, [String]) {
            guard getuid() == 0 else { return (command[0], Array(command.dropFirst())) }
            return ("/usr/bin/setpriv", ["--reuid=nobody", "--regid=nogroup", "--clear-groups"] + command)
        }

        private static func run(_ program: String, _ arguments: [String]) throws -> String {
            let process = Process()
            let (output, errors) = (Pipe(), Pipe())
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = arguments
            process.standardOutput = output
            process.standardError = errors
            try process.begin()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            let error = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw Failure(description: "\(program): \(error)") }
            return text
        }
    }
#endif
