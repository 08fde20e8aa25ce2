public import Foundation

/// Finds files of this repository from this source file's place.
public enum Repository {
    /// The absolute path of a file given by its path in the repository.
    public static func path(_ relative: String, thisFile: String = #filePath) -> String {
        let components = thisFile.split(separator: "/").dropLast(4)
        return "/" + components.joined(separator: "/") + "/" + relative
    }

    /// The content of a file.
    public static func contents(_ relative: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: path(relative)))
    }

    /// Runs a program with a file of this repository as its argument.
    /// - Returns: the text it wrote to standard output, and its exit status.
    public static func run(_ program: String, _ relative: String) throws -> (output: Data, status: Int32) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program, "-B", path(relative)]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (output, process.terminationStatus)
    }

    /// Whether PATH has python3.
    public static var hasPython: Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/python3")
        }
    }
}
