package import Foundation
import Glibc
import Synchronization

/// A running `earshotd` with an empty database. The variable EARSHOTD names the program, which belongs to the package in
/// Server/.
package final class Daemon: Sendable {
    package static let program: String? = ProcessInfo.processInfo.environment["EARSHOTD"]

    /// The folder of a certificate for localhost that this machine trusts, and its key; `Tests/Support/trusting.sh` makes it.
    package static let certificateFolder: String? = ProcessInfo.processInfo.environment["EARSHOT_TLS"]

    let folder: URL
    let port: UInt16
    private let hasTLS: Bool
    private let process = Mutex<Int32>(0)

    /// - Parameters:
    ///   - isOpen: whether its projects are open; otherwise they are sealed.
    ///   - hasTLS: whether it serves HTTPS, with the certificate of `certificateFolder`.
    package init(isOpen: Bool = false, hasTLS: Bool = false) throws {
        self.hasTLS = hasTLS
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("earshot-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        port = try Self.freePort()
        _ = try administer(["project", "create", "demo"] + (isOpen ? ["--open"] : []))
        _ = try administer(["project", "create", "other"] + (isOpen ? ["--open"] : []))
        try start()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(at: folder)
    }

    package var url: URL { hasTLS ? Self.url("https://localhost:\(port)") : numericURL }

    /// With the address of the machine in place of its name.
    package var numericURL: URL { Self.url("\(hasTLS ? "https" : "http")://127.0.0.1:\(port)") }

    private static func url(_ text: String) -> URL {
        guard let url = URL(string: text) else { preconditionFailure("a URL") }
        return url
    }

    /// All bytes that the service has on the disk.
    package var databaseBytes: Data {
        get throws {
            try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .reduce(into: Data()) { $0 += try Data(contentsOf: $1) }
        }
    }

    /// A new key of a project.
    package func key(project: String = "demo") throws -> String { try administer(["key", "create", project]) }

    package func revokeAllKeys() throws {
        for number in 1...3 { _ = try? administer(["key", "revoke", "\(number)"]) }
    }

    package func start() throws {
        let tls = Self.certificateFolder.map {
            ["--tls-certificate", "\($0)/certificate.pem", "--tls-key", "\($0)/key.pem"]
        }
        let running = try run(
            ["serve", "--port", "\(port)", "--no-operations"] + (hasTLS ? tls ?? [] : []), output: FileHandle.nullDevice
        )
        process.withLock { $0 = running.processIdentifier }
    }

    /// Ends the program without warning, as a power failure would.
    package func kill() {
        process.withLock { process in
            guard process > 0 else { return }
            _ = Glibc.kill(process, SIGKILL)
            process = 0
        }
    }

    /// Moves all times in the database of a stopped service, as if the calendar had been
    /// set by `seconds` before its next run.
    package func setCalendar(by seconds: Int) throws {
        // Its times are milliseconds since 1970, and no other number in it is as large.
        let script = """
            import sqlite3, sys
            base = sqlite3.connect(sys.argv[1])
            tables = [row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            moved = 0
            for table in tables:
                for column in [row[1] for row in base.execute(f"PRAGMA table_info('{table}')") if row[2] == "INTEGER"]:
                    moved += base.execute(
                        f"UPDATE {table} SET {column} = {column} - ? WHERE {column} > 1000000000000", [int(sys.argv[2])]).rowcount
            base.commit()
            sys.exit(0 if moved else 1)
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c", script, folder.appendingPathComponent("database").path, "\(seconds * 1_000)",
        ]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw POSIXError(.EINVAL) }
    }

    /// Runs a command of the operator.
    /// - Returns: its output.
    package func administer(_ arguments: [String]) throws -> String {
        let pipe = Pipe()
        let running = try run(arguments, output: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        running.waitUntilExit()
        guard running.terminationStatus == 0 else { throw POSIXError(.EINVAL) }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func run(_ arguments: [String], output: FileHandle) throws -> Process {
        let process = Process()
        process.executableURL = Self.program.map { URL(fileURLWithPath: $0) }
        process.arguments = arguments + ["--database", folder.appendingPathComponent("database").path]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    private static func freePort() throws -> UInt16 {
        try ScriptedServer { _ in [] }.port
    }
}
