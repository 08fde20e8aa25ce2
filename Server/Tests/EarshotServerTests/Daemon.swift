import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Testing

/// The built `earshotd`, started as an operator starts it, in a directory of its own.
final class Daemon: @unchecked Sendable {
    struct Result {
        let status: Int32
        let output: String
        let error: String
    }

    let directory: URL
    let database: String
    private var process: Process?
    /// The base URL at which it listens now.
    private(set) var base = ""

    /// The program is beside the test bundle.
    private static let url = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("earshotd")

    /// - Parameter database: an address; nil for a SQLite file in the directory.
    init(database: String? = nil) throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("earshotd-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        self.database = database ?? directory.appendingPathComponent("earshotd.sqlite").path
    }

    deinit {
        if let process, process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(at: directory)
    }

    var log: String { (try? String(contentsOf: file("log"), encoding: .utf8)) ?? "" }

    /// The base URL of the listener for operators, which the log names; empty if there is none.
    var operations: String {
        log.matches(of: /metrics=(http:\S+)\/metrics/).last.map { String($0.1) } ?? ""
    }

    /// The process id of the service that was started last.
    var processIdentifier: Int32 { process?.processIdentifier ?? 0 }

    /// The number of files and connections that the service has open.
    var openFiles: Int {
        let folder = "/proc/\(process?.processIdentifier ?? 0)/fd"
        return (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
    }

    func file(_ name: String) -> URL { directory.appendingPathComponent(name) }

    /// Runs a command and waits for its end.
    func run(_ arguments: String...) throws -> Result { try run(arguments) }

    func run(_ arguments: [String]) throws -> Result { try runAlone(arguments + ["--database", database]) }

    /// Runs a command without adding the option for the database.
    func runAlone(_ arguments: String...) throws -> Result { try runAlone(arguments) }

    private func runAlone(_ arguments: [String]) throws -> Result {
        let process = try make(arguments, output: "out", error: "err")
        try process.begin()
        // A command that serves instead of refusing would never end.
        let identifier = process.processIdentifier
        let end = DispatchWorkItem { kill(identifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: end)
        process.waitUntilExit()
        end.cancel()
        return Result(
            status: process.terminationStatus, output: try String(contentsOf: file("out"), encoding: .utf8),
            error: try String(contentsOf: file("err"), encoding: .utf8))
    }

    /// Runs a script of bash, whose `$0` is the program. In dash `wait` waits for a signal that a process of Foundation's has blocked.
    /// - Returns: what it prints.
    static func shell(_ script: String, _ arguments: String...) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", script, url.path] + arguments
        process.standardOutput = output
        try process.begin()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }

    /// A key of a new project.
    func key(project: String = "ours", isSealed: Bool = false) throws -> String {
        _ = try run(["project", "create", project] + (isSealed ? [] : ["--open"]))
        return try run("key", "create", project).output.trimmingCharacters(in: .newlines)
    }

    /// Starts the service and waits until it listens. All runs log to one file.
    /// - Parameters:
    ///   - files: the limit of open files; nil keeps that of the process.
    ///   - environment: additional variables of the environment.
    func serve(
        _ arguments: String..., files: Int? = nil, environment: [String: String] = [:]
    ) async throws {
        try await serve(arguments, files: files, environment: environment)
    }

    func serve(
        _ arguments: [String], files: Int? = nil, environment: [String: String] = [:]
    ) async throws {
        let process = try make(
            ["serve", "--port", "0", "--operations-port", "0", "--database", database] + arguments, output: "serve",
            error: "log")
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        if let files, let url = process.executableURL {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "ulimit -n \(files); exec \"$0\" \"$@\"", url.path] + (process.arguments ?? [])
        }
        try process.begin()
        self.process = process
        for _ in 0..<1_000 {
            let output = try String(contentsOf: file("serve"), encoding: .utf8)
            if output.hasSuffix("\n"), let address = output.split(separator: " ").last {
                base = address.trimmingCharacters(in: .newlines)
                return
            }
            guard process.isRunning else { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw CocoaError(.executableLoad, userInfo: [NSLocalizedDescriptionKey: log])
    }

    /// Writes `cert.pem` and `key.pem` into the directory, and replaces earlier ones.
    /// - Parameter key: the options of openssl for the key.
    func makeCertificate(key: [String] = ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]) throws {
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        openssl.arguments =
            ["req", "-x509", "-newkey"] + key + [
                "-nodes", "-days", "1", "-subj", "/CN=localhost", "-keyout", file("key.pem").path, "-out",
                file("cert.pem").path,
            ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.begin()
        openssl.waitUntilExit()
    }

    /// Sends the service a signal that does not end it.
    func tell(_ signal: Int32) { kill(processIdentifier, signal) }

    /// Waits until the log has a text, a given number of times.
    func waitForLog(_ text: String, count: Int = 1) async throws {
        for _ in 0..<2_000 {
            if log.components(separatedBy: text).count > count { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw CocoaError(.fileReadUnknown, userInfo: [NSLocalizedDescriptionKey: "no '\(text)' in: \(log)"])
    }

    /// The port at which it listens now.
    var port: Int {
        get throws { Int(try #require(base.split(separator: ":").last)) ?? 0 }
    }

    /// Sends a signal and waits for the end.
    /// - Returns: the exit status, or the negated number of the signal that ended it.
    func end(_ signal: Int32) -> Int32 {
        guard let process else { return 0 }
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// Sends a request to the service.
    func send(
        _ method: String, _ path: String, bearer: String, _ body: [String: Any]? = nil,
        client: HTTPClient = .shared
    ) async throws -> (status: Int, json: [String: Any]) {
        var request = HTTPClientRequest(url: base + path)
        request.method = .init(rawValue: method)
        request.headers.add(name: "Authorization", value: "Bearer \(bearer)")
        if let body {
            request.body = .bytes(ByteBuffer(bytes: try JSONSerialization.data(withJSONObject: body)))
        }
        let response = try await client.execute(request, timeout: .seconds(20))
        let data = Data((try await response.body.collect(upTo: 1 << 24)).readableBytesView)
        let json = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        return (Int(response.status.code), json ?? [:])
    }

    private func make(_ arguments: [String], output: String, error: String) throws -> Process {
        let process = Process()
        process.executableURL = Self.url
        process.arguments = arguments
        try Data().write(to: file(output))
        if !FileManager.default.fileExists(atPath: file(error).path) || error != "log" {
            try Data().write(to: file(error))
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: file(output))
        let errors = try FileHandle(forWritingTo: file(error))
        try errors.seekToEnd()
        process.standardError = errors
        return process
    }
}

extension Process {
    private static let launching = NSLock()

    /// Starts one process after the other. Foundation's `run` reads /proc/self/fd into a buffer of 32 KiB, and copies 280 bytes from each
    /// entry of 24. With 1,365 files (32,768 ÷ 24) the last copies read beyond the buffer, and twice this ended the tests.
    /// - Throws: when 1,200 files are open, instead of a crash now and then.
    func begin() throws {
        try Self.launching.withLock {
            let count = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            guard count < 1_200 else {
                throw CocoaError(
                    .executableLoad,
                    userInfo: [
                        NSLocalizedDescriptionKey:
                            "\(count) files are open. Run tests that start programs in a process of their own: Server/Tests/run.sh."
                    ])
            }
            try run()
        }
    }
}

/// Runs blocking work on a new thread, because Swift has few threads.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}

func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

/// Waits until the condition is true; fails after 40 s.
func eventually(_ isDone: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(40)
    while try await !isDone() {
        try #require(ContinuousClock.now < end, "the condition is still false after 40 s")
        try await Task.sleep(for: .milliseconds(20))
    }
}
