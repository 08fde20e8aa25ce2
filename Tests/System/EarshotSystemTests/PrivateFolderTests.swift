import EarshotSystem
import Foundation
import TestSupport
import Testing

@Suite struct PrivateFolderTests {
    private let scratch: ScratchFolder
    private let folder: PrivateFolder

    init() throws {
        scratch = try ScratchFolder()
        folder = PrivateFolder("\(scratch.path)/a/b")
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// The failure of `read`.
    private func failure(_ name: String) -> PrivateFolder.Failure? {
        do throws(PrivateFolder.Failure) { _ = try folder.read(name, maximumByteCount: 4) } catch { return error }
        return nil
    }

    @Test func whatIsWrittenIsRead() throws {
        try folder.make()
        for bytes in [[], [1], [1, 2, 3, 4]] as [[UInt8]] {
            try folder.write(bytes, to: "file")
            #expect(try folder.read("file", maximumByteCount: 4) == bytes)
        }
        #expect(try mode("\(folder.path)/file") == 0o600)
        #expect(try mode(folder.path) == 0o700)
        #expect(try mode("\(scratch.path)/a") == 0o700)
        #expect(try folder.names == ["file"])
        try folder.remove("file")
        try folder.remove("file")
        #expect(try folder.read("file", maximumByteCount: 4) == nil)
        #expect(try folder.names.isEmpty)
    }

    @Test func whatAnInterruptedWriteLeftIsRemoved() throws {
        try folder.make()
        try folder.write([1], to: "file")
        try scratch.write("half", to: "a/b/\(PrivateFolder.temporaryPrefix)1-2")
        #expect(try folder.names == ["file"])
        folder.tidy()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
    }

    /// Waiting does not turn these into files, so the system is not to blame.
    @Test func whatIsNoFileOfOneUserIsRefusedWithItsReason() throws {
        try folder.make()
        try folder.write([1], to: "file")
        symlink("\(folder.path)/file", "\(folder.path)/link")
        mkfifo("\(folder.path)/pipe", 0o600)
        mkdir("\(folder.path)/folder", 0o700)
        try folder.write([1, 2, 3, 4, 5], to: "large")
        try folder.write([1], to: "shared")
        chmod("\(folder.path)/shared", 0o622)
        for (name, detail) in [
            ("link", "too many levels of symbolic links"), ("pipe", "it is not a regular file"),
            ("folder", "it is not a regular file"), ("large", "it has 5 bytes"),
        ] {
            #expect(failure(name)?.detail == detail)
            #expect(failure(name)?.isSystem == false)
            #expect(failure(name)?.path == "\(folder.path)/\(name)")
        }
        #expect(failure("shared")?.operation == "use")
    }

    /// A program that took such a folder for an empty one would lose its contents.
    @Test func aFolderThatCannotBeListedIsNotEmpty() throws {
        let folder = PrivateFolder("/" + String(repeating: "a/", count: 4_000))
        #expect { try folder.names } throws: { ($0 as? PrivateFolder.Failure)?.isSystem == true }
        #expect(try PrivateFolder("/none/at/all").names.isEmpty)
    }

    @Test func aFileInPlaceOfTheFolderIsAnError() throws {
        try scratch.write("", to: "a")
        #expect { try folder.create() } throws: {
            ($0 as? PrivateFolder.Failure)?.description == "Cannot create \(folder.path): not a directory."
        }
    }

    @Test func aFolderThatOthersCanChangeIsRefused() throws {
        try folder.make()
        chmod(folder.path, 0o777)
        #expect { try folder.make() } throws: { ($0 as? PrivateFolder.Failure)?.operation == "use" }
        try folder.create()
    }

    /// Without the lock, two of these would read the same number.
    @Test func workUnderTheLockDoesNotOverlap() async throws {
        try folder.make()
        try folder.write([0], to: "count")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { [folder] in
                    for _ in 0..<20 {
                        try folder.locked { () throws(PrivateFolder.Failure) in
                            let count = try folder.read("count", maximumByteCount: 1)?.first ?? 0
                            try folder.write([count + 1], to: "count")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try folder.read("count", maximumByteCount: 1) == [80])
    }
}
