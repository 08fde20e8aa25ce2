import Foundation
import TestSupport
import Testing

/// The built command line, as a user starts it.
enum Tool {
    struct Result {
        let status: Int32
        let outputBytes: Data
        let error: String

        var output: String { String(decoding: outputBytes, as: UTF8.self) }
        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// The program beside the test bundle. The links for the second program's commands are in the same folder, as
    /// `make all` and `make install-all` make them.
    static let url: URL = {
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        for command in linkedCommands {
            // Another process of the tests may have made the same link.
            try? FileManager.default.createSymbolicLink(
                atPath: folder.appendingPathComponent("earshot-\(command)").path,
                withDestinationPath: "earshot-messages")
        }
        try? FileManager.default.createSymbolicLink(
            atPath: folder.appendingPathComponent("earshot-push").path, withDestinationPath: "earshot-agent")
        return folder.appendingPathComponent("earshot")
    }()

    /// The commands of the second program.
    static let linkedCommands = ["nearby", "publish", "subscribe", "beacons", "beacon"]

    /// Runs the tool to its end. Output goes through files, so that a full pipe cannot block either side.
    /// - Parameter environment: variables to set beside those of the tests.
    static func run(
        _ arguments: [String], input: Data? = nil, environment: [String: String] = [:], in scratch: Scratch
    ) throws -> Result {
        let process = try Running(arguments, in: scratch)
        process.process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        try process.start(input: input)
        return try process.wait()
    }
}

/// A process of the tool that tests observe while it runs.
final class Running {
    let process = Process()
    private let scratch: Scratch
    private let outputURL: URL
    private let errorURL: URL

    init(_ arguments: [String], in scratch: Scratch) throws {
        self.scratch = scratch
        let id = UUID().uuidString
        outputURL = scratch.hidden.appendingPathComponent("\(id).out")
        errorURL = scratch.hidden.appendingPathComponent("\(id).err")
        for url in [outputURL, errorURL] { try Data().write(to: url) }
        process.executableURL = Tool.url
        process.arguments = arguments
        process.currentDirectoryURL = scratch.url
        process.standardOutput = try FileHandle(forWritingTo: outputURL)
        process.standardError = try FileHandle(forWritingTo: errorURL)
    }

    func start(input: Data? = nil) throws {
        let url = scratch.hidden.appendingPathComponent("\(UUID().uuidString).in")
        try (input ?? Data()).write(to: url)
        process.standardInput = try FileHandle(forReadingFrom: url)
        try process.run()
    }

    /// Starts the tool with a pipe as its standard input. The pipe stays open.
    func startWithPipe() throws -> FileHandle {
        let pipe = Pipe()
        process.standardInput = pipe
        try process.run()
        return pipe.fileHandleForWriting
    }

    var output: String { (try? String(contentsOf: outputURL, encoding: .utf8)) ?? "" }

    /// A field of /proc/…/status in kB, such as "VmHWM", the maximum of resident memory.
    func memory(_ field: String) -> Int? {
        let text = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").first { $0.hasPrefix("\(field):") }.flatMap { Int($0.filter(\.isNumber)) }
    }

    func wait() throws -> Tool.Result {
        process.waitUntilExit()
        return Tool.Result(
            status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
            outputBytes: try Data(contentsOf: outputURL),
            error: try String(contentsOf: errorURL, encoding: .utf8))
    }

    /// Waits until the output satisfies `condition`, at most `seconds`.
    func waitForOutput(seconds: Int = 10, _ condition: (String) -> Bool) -> Bool {
        for _ in 0..<50 * seconds {
            if condition(output) { return true }
            usleep(20_000)
        }
        return false
    }
}
