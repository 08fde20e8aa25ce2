import Foundation
package import TestSupport

/// The app of the tests, which is in the folder of the test bundle.
package enum AppProgram {
    private static let path = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()
        .appendingPathComponent("test-app").path

    /// Starts the app.
    /// - Parameter variables: further variables, besides PATH and HOME.
    package static func start(
        _ arguments: [String], variables: [String: String] = [:], in scratch: Scratch
    ) throws -> Program {
        try Program(path, arguments, environment: environment(scratch).merging(variables) { $1 }, in: scratch)
    }

    private static func environment(_ scratch: Scratch) -> [String: String] {
        ["PATH": Desktop.searchPath, "HOME": scratch.url.path]
    }

    /// Runs the app to its end.
    /// - Parameter wrapper: a command that runs the app, with the app's words in place of `APP`.
    /// - Returns: the app's output.
    package static func run(
        _ arguments: [String], wrapper: [String]? = nil, endsBySignal: Bool = false, in scratch: Scratch
    ) throws -> String {
        let words = wrapper ?? ["setsid", "-w", "APP"]
        let command = words.flatMap { word in
            word == "APP"
                ? [path] + arguments : [word.replacing("APP", with: ([path] + arguments).joined(separator: " "))]
        }
        let program = try Program(
            command[0], Array(command.dropFirst()), environment: environment(scratch), in: scratch)
        guard program.waitForEnd(within: 60), program.status == 0 || endsBySignal else {
            throw SoundCard.Trouble(description: program.account)
        }
        return program.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
