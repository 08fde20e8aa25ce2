import Foundation
import GRDB
import Glibc
import Testing

@testable import EarshotServer

/// A path that is not a database is refused before any file is created or changed.
@Suite struct DatabaseFilesTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("earshot-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func rights(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    /// Opens the store for a command and for the service.
    private func expectRefusal(_ path: String, _ reason: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (before, beside) = (
            try rights(path), try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        )
        for isServing in [false, true] {
            let error = #expect(throws: AdministrationError.self) {
                try SQLiteStore(path: path, isServing: isServing).close()
            }
            #expect(error?.description.contains("'\(path)' \(reason)") == true, "\(String(describing: error))")
        }
        #expect(try rights(path) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == beside)
    }

    @Test func aFolderIsNoDatabase() throws {
        let path = folder.appendingPathComponent("public").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        chmod(path, 0o755)
        try expectRefusal(path, "is a folder")
    }

    @Test(arguments: ["root:x:0:0:root:/root:/bin/bash\n", "S", "SQLite format 3"]) func anotherFileIsNoDatabase(
        text: String
    ) throws {
        let path = folder.appendingPathComponent("passwd").path
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        chmod(path, 0o644)
        try expectRefusal(path, "is not a SQLite database")
    }

    @Test func aFolderThatIsMissingIsNamed() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("none/new.sqlite").path
        let error = #expect(throws: AdministrationError.self) { try SQLiteStore(path: path, isServing: false) }
        #expect(
            error?.description.hasPrefix("Cannot create '\(path)': No such file or directory") == true,
            "\(String(describing: error))")
    }

    /// A file of SQLite with these statements.
    private func file(_ statements: String) throws -> String {
        let path = folder.appendingPathComponent("other.sqlite").path
        let database = try DatabaseQueue(path: path)
        try database.write { try $0.execute(sql: statements) }
        try database.close()
        return path
    }

    @Test func anotherProgramsTablesAreRefused() throws {
        try expectRefusal(try file("CREATE TABLE bookmark (address TEXT)"), "has tables of another program")
    }

    @Test func theTablesOfALaterVersionAreRefused() throws {
        try expectRefusal(
            try file("CREATE TABLE grdb_migrations (identifier TEXT); INSERT INTO grdb_migrations VALUES ('1000')"),
            "is of a later earshotd. Install that version")
    }

    /// A command that finds nothing in an empty file leaves it empty.
    @Test func onlyACommandThatCreatesMakesTables() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("empty.sqlite").path
        #expect(FileManager.default.createFile(atPath: path, contents: Data()))
        let error = #expect(throws: AdministrationError.self) {
            try SQLiteStore(path: path, creates: false, isServing: false)
        }
        #expect(error?.description.contains("has no tables") == true, "\(String(describing: error))")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["empty.sqlite"])
        #expect(FileManager.default.contents(atPath: path)?.isEmpty == true)
    }

    @Test func aPipeIsNoDatabase() throws {
        let path = folder.appendingPathComponent("pipe").path
        #expect(mkfifo(path, 0o644) == 0)
        chmod(path, 0o644)
        try expectRefusal(path, "is not a regular file")
    }

    @Test func anEmptyFileBecomesADatabaseOfItsOwner() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("new.sqlite").path
        #expect(FileManager.default.createFile(atPath: path, contents: Data(), attributes: [.posixPermissions: 0o644]))
        let store = try SQLiteStore(path: path, isServing: false)
        defer { try? store.close() }
        #expect(store.repairedFiles == [path])
        #expect(try rights(path) == 0o600)
    }

    /// Only its owner may change a file's permissions, so root leaves another user's file unchanged.
    @Test(.enabled(if: geteuid() == 0, "only root can change the owner of a file"))
    func theFileOfAnotherUserStaysAsItIs() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("theirs.sqlite").path
        try SQLiteStore(path: path, isServing: false).close()
        chmod(path, 0o644)
        #expect(chown(path, 12_345, 12_345) == 0)
        let error = #expect(throws: AdministrationError.self) { try SQLiteStore(path: path, isServing: false) }
        #expect(error?.description.contains("Other users may read '\(path)'") == true)
        #expect(try rights(path) == 0o644)
    }
}
