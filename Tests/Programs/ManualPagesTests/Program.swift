import Foundation
import Testing

/// A program that was built with the tests, in their folder, or a program of the system.
struct Program: CustomTestStringConvertible {
    let path: String

    static let earshot = Program(built: "earshot")
    static let messages = Program(built: "earshot-messages")

    var testDescription: String { URL(fileURLWithPath: path).lastPathComponent }

    private init(built name: String) {
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        path = tests.deletingLastPathComponent().appendingPathComponent(name).path
    }

    /// A program in PATH, if the system has it.
    init?(installed name: String) {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let found = folders.map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
        guard let found else { return nil }
        path = found
    }

    /// The program's output, including errors.
    func output(_ arguments: [String]) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    /// The commands that its help lists.
    func commands() throws -> [String] {
        let help = try output(["--help"]).components(separatedBy: "SUBCOMMANDS:\n").last ?? ""
        return help.split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
            .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }.filter { $0 != "help" }
    }
}
