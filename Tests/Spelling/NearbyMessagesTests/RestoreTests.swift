import DesktopTestSupport
import Foundation
import MessagesTestSupport
import NearbyMessages
import TestSupport
import Testing

/// The documents' pattern: an app saves a flag in the settings, and begins again at the next launch.
@Suite(.apart) struct RestoreTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: String...) throws -> String {
        try AppProgram.run(arguments, endsBySignal: arguments.last == "killed", in: scratch)
    }

    @Test func `a value in UserDefaults outlives an app that ends`() throws {
        #expect(try run("read") == "false false")
        _ = try run("set")
        #expect(try run("read") == "false false", "Foundation alone saves now, so the saver is no longer needed")
        _ = try run("set as printed")
        #expect(try run("read") == "true true")
    }

    @Test func `a value in UserDefaults outlives an app that is killed some time later`() async throws {
        let app = try AppProgram.start(["set as printed", "waits"], in: scratch)
        let path = scratch.path(".config/test-app.plist")
        #expect(await eventually { FileManager.default.fileExists(atPath: path) })
        app.signal(SIGKILL)
        #expect(app.waitForEnd(within: 60) && app.status == -SIGKILL)
        #expect(try run("read") == "true true")
    }

    @Test func `a value in UserDefaults outlives an app that synchronizes and is killed at once`() throws {
        _ = try run("set and synchronize", "killed")
        #expect(try run("read") == "true true")
    }

    @Test func `a flag outlives a kill, in both directions, and restores`() throws {
        #expect(try run("restore") == "nothing")
        _ = try run("turn on", "killed")
        #expect(try run("read") == "true true" && run("restore") == "restored")
        _ = try run("turn off", "killed")
        #expect(try run("read") == "false false" && run("restore") == "nothing")
    }

    @Test func `a flag without a process`() throws {
        let flag = BackgroundFlag("flag", suiteName: "earshot-test-\(UUID().uuidString)")
        #expect(!flag.isOn && flag.restore { 1 } == nil)
        flag.isOn = true
        #expect(flag.restore { 1 } == 1)
        // A closure may find that there is nothing to restore.
        #expect(flag.restore { Int?.none } == nil)
        flag.isOn = false
        #expect(flag.restore { 1 } == nil)
        if let name = flag.suiteName { UserDefaults(suiteName: name)?.removePersistentDomain(forName: name) }
    }
}
