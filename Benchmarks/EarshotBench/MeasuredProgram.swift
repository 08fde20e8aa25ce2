import Foundation

/// A program's output and cost.
struct MeasuredProgram {
    let output: [UInt8]
    /// User and system time, of the program and its children, in seconds.
    let seconds: Double
    /// The maximum resident memory.
    let peakMegabytes: Double

    /// Runs a program to its end. Exit status 1 is allowed: Earshot ends with it if there was no token.
    init(_ arguments: [String], statuses: Set<Int32> = [0, 1]) throws {
        // Started by GNU time, which is small: the system counts for a child at least the
        // memory of the process that started it.
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("earshot-memory-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let measured = ["/usr/bin/time", "--quiet", "--format", "%M", "--output", path]
        (output, seconds) = try ChildProcess(measured + arguments).finish(statuses: statuses)
        let kilobytes = try String(contentsOfFile: path, encoding: .utf8)
        peakMegabytes = (Double(kilobytes.filter(\.isNumber)) ?? .nan) / 1_024
    }

    /// The lines of its output.
    var lines: [Substring] { String(decoding: output, as: UTF8.self).split(separator: "\n") }
}
