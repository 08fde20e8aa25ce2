import Foundation
import SimplePushKit
import Testing

@Suite struct ShownMessagesTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("shown-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder + "/state/shown")
    }

    @Test func aMessageIsRememberedByTheNextProcess() throws {
        try withFolder { path in
            let first = try ShownMessages(path: path)
            #expect(!first.contains(sender: "ann", id: "1"))
            try first.record(sender: "ann", id: "1")
            try first.record(sender: "ann", id: "1")
            // Without closing the first: a killed process closes nothing either.
            let second = try ShownMessages(path: path)
            #expect(second.contains(sender: "ann", id: "1"))
            #expect(!second.contains(sender: "ben", id: "1"))
            #expect(!second.contains(sender: "ann", id: "2"))
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test func itRemembersTheLatestAndStaysSmall() throws {
        try withFolder { path in
            let shown = try ShownMessages(path: path, limit: 10)
            for number in 0..<100 { try shown.record(sender: "ann", id: "\(number)") }
            let next = try ShownMessages(path: path, limit: 10)
            for number in 90..<100 { #expect(next.contains(sender: "ann", id: "\(number)")) }
            #expect(!next.contains(sender: "ann", id: "50"))
            let size = try #require(FileManager.default.contents(atPath: path)?.count)
            #expect(size <= 20 * "ann 99\n".utf8.count)
        }
    }

    @Test func aLineThatACrashCutDoesNotCount() throws {
        try withFolder { path in
            try ShownMessages(path: path).record(sender: "ann", id: "1")
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.seekToEnd()
            try file.write(contentsOf: Data("ann 23".utf8))
            let next = try ShownMessages(path: path)
            #expect(next.contains(sender: "ann", id: "1"))
            #expect(!next.contains(sender: "ann", id: "23"))
            try next.record(sender: "ann", id: "24")
            #expect(try ShownMessages(path: path).contains(sender: "ann", id: "24"))
        }
    }

    @Test func aFolderThatCannotBeWrittenIsAnError() {
        #expect(throws: ShownMessagesError.self) { try ShownMessages(path: "/proc/none/shown") }
    }
}

@Suite struct SharedSecretTests {
    @Test func aFileOfOthersIsRefused() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("secret-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let secret = SharedSecret.random()
        #expect(secret != SharedSecret.random())
        try Data((secret + "\n").utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(throws: SecretError.isOpen(path)) { try SharedSecret(fileAt: path) }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(try SharedSecret(fileAt: path) == SharedSecret(secret))
        #expect(throws: SecretError.self) { try SharedSecret(fileAt: path + ".none") }
        #expect(throws: SecretError.self) { try SharedSecret(fileAt: "/dev/zero") }
    }

    @Test func aShortSecretIsRefused() {
        #expect(throws: SecretError.length(5)) { try SharedSecret(" short ") }
        #expect(throws: SecretError.length(129)) { try SharedSecret(String(repeating: "x", count: 129)) }
    }
}
