import Foundation
import Glibc
import MessagesTestSupport
import Synchronization
import TestSupport
import Testing

@testable import EarshotMessages

// A test that never gets its event fails at the time limit.
@Suite(.apart, .timeLimit(.minutes(2))) struct PermissionStoreTests {
    private let scratch: ScratchFolder
    private var file: String { "\(scratch.path)/config/app/nearby.json" }

    init() throws {
        scratch = try ScratchFolder()
    }

    private func store(log: (@Sendable (String) -> Void)? = nil) -> PermissionStore {
        PermissionStore(applicationIdentifier: "app", configurationFolder: "\(scratch.path)/config", log: log)
    }

    @Test func `without a file nothing is decided, and reading makes none`() {
        #expect(store().state == .undecided)
        #expect(store().path == file)
        #expect(!FileManager.default.fileExists(atPath: "\(scratch.path)/config"))
    }

    @Test(arguments: PermissionState.allCases)
    func `another process reads the decision`(state: PermissionState) throws {
        try store().set(state)
        #expect(store().state == state)
        var status = stat()
        #expect(stat(file, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(stat("\(scratch.path)/config/app", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        // The write leaves no temporary file.
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(scratch.path)/config/app") == ["nearby.json"])
    }

    @Test func `a reader sees changes by another process, whatever happens to the folder`() async throws {
        var changes = store().changes.makeAsyncIterator()
        #expect(await changes.next() == .undecided)
        // The folder and its parent appear together, and the file by a rename.
        try run(
            "mkdir -p config/app && printf '{\"permission\":\"granted\"}' > config/app/x && mv config/app/x \(file)")
        #expect(await changes.next() == .granted)
        // The file is written in place.
        try run("printf '{\"permission\":\"denied\"}' > \(file)")
        #expect(await next(&changes, not: .undecided) == .denied)
        // The folder disappears, and appears again.
        try run("rm -r config/app")
        #expect(await changes.next() == .undecided)
        try store().set(.granted)
        #expect(await changes.next() == .granted)
        // Another folder replaces it, with its parents.
        try run("mkdir -p other/app && printf '{\"permission\":\"denied\"}' > other/app/nearby.json")
        try run("mv config/app config/old && mv other/app config/app")
        #expect(await next(&changes, not: .undecided) == .denied)
        // The watch follows the new folder.
        try store().set(.granted)
        #expect(await changes.next() == .granted)
    }

    @Test func `each reader has its own stream, and the last one ends the watch`() async throws {
        let store = store()
        var first: AsyncStream<PermissionState>? = store.changes
        let second = store.changes
        try store.set(.denied)
        var iterator = second.makeAsyncIterator()
        #expect(await iterator.next() == .undecided)
        #expect(await iterator.next() == .denied)
        _ = first
        first = nil
        try store.set(.granted)
        #expect(await iterator.next() == .granted)
    }

    @Test(arguments: [
        "", "{", "[]", "granted", #"{"permission":true}"#, #"{"permission":"yes"}"#, #"{"other":"granted"}"#,
        String(repeating: "[", count: 4_000), #"{"permission":"granted"}"# + String(repeating: " ", count: 5_000),
    ])
    func `invalid content counts as undecided, and is logged once`(content: String) throws {
        let notes = Mutex<[String]>([])
        let store = store { note in notes.withLock { $0.append(note) } }
        try scratch.write(content, to: "config/app/nearby.json")
        #expect(store.state == .undecided)
        #expect(store.state == .undecided)
        #expect(notes.withLock(\.self).count == 1)
        #expect(notes.withLock { $0.first }?.contains(file) == true)
        try store.set(.granted)
        #expect(store.state == .granted)
    }

    @Test func `a folder or a pipe in place of the file is invalid, and does not block`() throws {
        let notes = Mutex<[String]>([])
        try scratch.write("", to: "config/app/other")
        #expect(mkfifo(file, 0o600) == 0)
        #expect(store { note in notes.withLock { $0.append(note) } }.state == .undecided)
        #expect(unlink(file) == 0)
        #expect(mkdir(file, 0o700) == 0)
        #expect(store { note in notes.withLock { $0.append(note) } }.state == .undecided)
        #expect(notes.withLock(\.self).count == 2)
        #expect(
            notes.withLock { $0.allSatisfy { $0.contains("it is not a regular file") } }, "\(notes.withLock(\.self))")
        // A file cannot replace a folder, and the error says so.
        #expect(throws: PermissionStoreError.self) { try store().set(.granted) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(scratch.path)/config/app").count == 2)
    }

    @Test func `a decision that cannot be written holds until another program writes one`() async throws {
        try scratch.write("a file where the folder should be", to: "config")
        let store = store()
        var changes = store.changes.makeAsyncIterator()
        #expect(await changes.next() == .undecided)
        let error = #expect(throws: PermissionStoreError.self) { try store.set(.granted) }
        #expect(error?.description.contains("\(scratch.path)/config/app") == true)
        #expect(store.state == .granted)
        #expect(await changes.next() == .granted)
        try run("rm config")
        try self.store().set(.denied)
        #expect(await changes.next() == .denied)
        #expect(store.state == .denied)
    }

    @Test func `a reader sees one decision or the other while others write`() async throws {
        let notes = Mutex<[String]>([])
        let log: @Sendable (String) -> Void = { note in notes.withLock { $0.append(note) } }
        let stores = [store(log: log), store(log: log)]
        try stores[0].set(.granted)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (store, state) in zip(stores, [PermissionState.granted, .denied]) {
                group.addTask { for _ in 0..<200 { try store.set(state) } }
            }
            let reader = store(log: log)
            group.addTask { for _ in 0..<2_000 { #expect(reader.state != .undecided) } }
            try await group.waitForAll()
        }
        #expect(notes.withLock(\.self) == [])
    }

    @Test func `readers that come and go do not delay changes`() async throws {
        let store = store()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await onThread {
                    for number in 0..<200 { try store.set(number.isMultiple(of: 2) ? .granted : .denied) }
                }
            }
            for _ in 0..<100 {
                let reading = Task { for await _ in store.changes {} }
                group.addTask {
                    try await Task.sleep(for: .milliseconds(2))
                    reading.cancel()
                    await reading.value
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: [
        ("org.example.app", "org.example.app"), ("../../etc", "..-..-etc"), ("", "unnamed"), ("..", "unnamed"),
        ("a/b\u{0}c\n", "a-b-c-"), (String(repeating: "ä", count: 300), String(repeating: "ä", count: 100)),
    ])
    func `any identifier is one folder below the configuration`(identifier: String, name: String) {
        let folder = ConfigurationFolder(applicationIdentifier: identifier, base: "/base")
        #expect(folder.path == "/base/\(name)")
    }

    /// Between two answers the file may be missing for a moment, and a reader may see that or not.
    private func next(
        _ changes: inout AsyncStream<PermissionState>.Iterator, not passing: PermissionState
    ) async -> PermissionState? {
        let state = await changes.next()
        return state == passing ? await changes.next() : state
    }

    private func run(_ command: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = URL(filePath: scratch.path)
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
