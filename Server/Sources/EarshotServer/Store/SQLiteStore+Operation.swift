import Foundation
import GRDB
import Glibc

/// The operator's inspections and repairs.
extension SQLiteStore {
    package func devices(project: String?) async throws -> [DeviceRecord] {
        try await pool.read { database in
            if let project, try Self.projectID(project, database) == nil { throw Self.unknownProject(project) }
            return try database.rows(OperatorQueries.devices, [project]).map { row in
                DeviceRecord(
                    identifier: row[0], project: row[1], key: row[2], expires: row[3], publications: row[4],
                    subscriptions: row[5])
            }
        }
    }

    package func publications(project: String?) async throws -> [PublicationRecord] {
        try await pool.read { database in
            if let project, try Self.projectID(project, database) == nil { throw Self.unknownProject(project) }
            return try database.rows(OperatorQueries.publications, [project]).map { row in
                PublicationRecord(
                    identifier: row[0], project: row[1], device: row[2], namespace: row[3], type: row[4],
                    contentCount: row[5], expires: row[6])
            }
        }
    }

    package func end(_ item: EndedItem) async throws -> Bool {
        guard try await isAlive(item) else { throw unknown(item) }
        return try await awaitEnd {
            try await writes.perform { database, _ in
                try database.run(OperatorQueries.forgetEndings)
                try database.run("INSERT INTO ending (\(item.table)) VALUES (?)", [item.identifier])
            }
        } isAlive: {
            try await isAlive(item)
        }
    }

    private func isAlive(_ item: EndedItem) async throws -> Bool {
        try await pool.read { database in
            try database.count(
                "SELECT count(*) FROM \(item.table) WHERE identifier = ? AND \(item.condition)", [item.identifier]) > 0
        }
    }

    package func inspect() async throws -> Inspection {
        try await pool.read { database in
            var inspection = Inspection()
            let reports = try String.fetchAll(database, sql: "PRAGMA integrity_check")
            inspection.problems = reports == ["ok"] ? [] : reports.map { "SQLite: \($0)" }
            let strays = try database.rows("PRAGMA foreign_key_check")
            for row in strays.prefix(20) {
                inspection.problems.append(
                    "a row of \(row[0] as String) names one of \(row[2] as String) that is not there")
            }
            try inspection.look { Int64(try database.count($0)) }
            return inspection
        }
    }

    /// The copy gets its name when it is complete. Until then it is written under another name.
    package func backUp(to path: String) async throws {
        func failure(_ action: String, _ reason: Int32) -> AdministrationError {
            AdministrationError(description: "Cannot \(action) '\(path)': \(String(cString: strerror(reason))).")
        }
        guard access(path, F_OK) != 0 else {
            throw AdministrationError(description: "'\(path)' exists already; name another file, or remove it.")
        }
        let unfinished = "\(path).\(getpid()).unfinished"
        let descriptor = open(unfinished, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("create", errno) }
        defer {
            Glibc.close(descriptor)
            unlink(unfinished)
            // SQLite's journal, which it could not remove.
            unlink("\(unfinished)-journal")
        }
        try await pool.vacuum(into: unfinished)
        guard fsync(descriptor) == 0 else { throw failure("write", errno) }
        // If the name was taken meanwhile, `link` fails; `rename` would replace that file.
        guard link(unfinished, path) != 0 else { return }
        guard [EPERM, EOPNOTSUPP].contains(errno), rename(unfinished, path) == 0 else { throw failure("create", errno) }
    }
}
