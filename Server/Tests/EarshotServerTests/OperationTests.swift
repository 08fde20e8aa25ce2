import Foundation
import Testing

/// The operator's procedures in docs/SERVICE.md, with the programs that it names.
@Suite(.serialized, .timeLimit(.minutes(2))) struct OperationTests {
    /// A device that has published, before a backup and after it.
    private struct Before: Sendable {
        let secret: String
        let first: String
    }

    private func publish(_ daemon: Daemon, _ secret: String) async throws -> String {
        let answer = try await daemon.send(
            "POST", "/v1/publications", bearer: secret, ["content": "aGVsbG8=", "ttl_s": 86_400])
        return try #require(answer.json["id"] as? String)
    }

    private func prepare(_ daemon: Daemon) async throws -> Before {
        let key = try daemon.key()
        try await daemon.serve()
        let opened = try await daemon.send("POST", "/v1/devices", bearer: key)
        let secret = try #require(opened.json["session"] as? String)
        return Before(secret: secret, first: try await publish(daemon, secret))
    }

    /// The restored service has the data of the backup, and continues to work.
    private func check(_ daemon: Daemon, _ before: Before) async throws {
        let listed = try await daemon.send("GET", "/v1/publications", bearer: before.secret)
        #expect((listed.json["publications"] as? [[String: Any]])?.map { $0["id"] as? String } == [before.first])
        _ = try await publish(daemon, before.secret)
        #expect(try daemon.run("project", "list").output.hasPrefix("ours\t"))
        #expect(daemon.end(SIGTERM) == 0)
    }

    /// `sqlite3 FILE ".backup COPY"` runs beside the service. Later the copy replaces the database and its log.
    @Test func aBackupOfTheFile() async throws {
        let daemon = try Daemon()
        let before = try await prepare(daemon)
        let copy = daemon.file("backup.sqlite").path
        _ = try run("/usr/bin/sqlite3", [daemon.database, ".backup \(copy)"])
        _ = try await publish(daemon, before.secret)
        // This works even after a crash, when the log has not been merged.
        #expect(daemon.end(SIGKILL) == -SIGKILL)
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: daemon.database + suffix) }
        _ = try run("/usr/bin/install", ["-m", "600", copy, daemon.database])
        try await daemon.serve()
        try await check(daemon, before)
    }

    /// systemd accepts the unit, which gives the service few rights. `make install-server` names the program in it.
    @Test func theUnit() throws {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Operation/earshotd.service").standardized
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let text = try String(contentsOf: source, encoding: .utf8)
        #expect(text.contains("ExecStart=@BIN@/earshotd serve "))
        let unit = folder.appendingPathComponent("earshotd.service")
        // Neither the programs nor the manual are installed on the machine of the tests.
        try text.replacingOccurrences(of: "@BIN@/earshotd", with: "/bin/true")
            .replacingOccurrences(of: "Documentation=man:earshotd(1)\n", with: "")
            .write(to: unit, atomically: true, encoding: .utf8)
        #expect(try run("/usr/bin/systemd-analyze", ["verify", "--man=no", unit.path]) == "")
        let rating = try run("/usr/bin/systemd-analyze", ["security", "--offline=true", "--no-pager", unit.path])
        let level = try #require(
            rating.split(separator: "\n").last?.split(separator: ":").last?.split(separator: " ").first)
        // 0 is the best, 10 the worst; a service without any of this has 9.6.
        let exposure = try #require(Double(level))
        #expect(exposure <= 1.5, "\(level)")
    }

    #if Postgres
        /// `pg_dump` runs beside the nodes, and `pg_restore` fills an empty database.
        @Test func aBackupOfPostgreSQL() async throws {
            let server = try PostgresServer.shared.get()
            let daemon = try Daemon(database: try server.makeDatabase())
            let before = try await prepare(daemon)
            let copy = daemon.file("backup").path
            _ = try run(
                "/usr/bin/pg_dump", ["--format=custom", "--file=\(copy)", daemon.database])
            // The disk has no record of which device hears which.
            let contents = try run("/usr/bin/pg_restore", ["--list", copy]).split(separator: "\n")
            let data = contents.filter { $0.contains(" TABLE DATA ") }
            #expect(data.contains { $0.contains(" publication ") })
            for table in ["sighting", "presence"] { #expect(!data.contains { $0.contains(" \(table) ") }, "\(table)") }
            _ = try await publish(daemon, before.secret)
            #expect(daemon.end(SIGTERM) == 0)
            let empty = try server.makeDatabase()
            _ = try run("/usr/bin/pg_restore", ["--exit-on-error", "--no-owner", "--dbname=\(empty)", copy])
            let restored = try Daemon(database: empty)
            try await restored.serve()
            try await check(restored, before)
        }
    #endif

    /// The output of a program, with its error messages.
    private func run(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.begin()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(program): \(text)")
        return text
    }
}
