import Foundation

/// What a program printed and what it took.
struct MeasuredProgram {
    let output: [UInt8]
    /// User and system time, of the program and what it started.
    let seconds: Double
    /// The most memory it had resident.
    let peakMegabytes: Double

    /// Runs a program to its end; 1 is Earshot's way to say that there was no token.
    init(_ arguments: [String], statuses: Set<Int32> = [0, 1]) throws {
        // What the system counts for a child begins with the memory of the process that started it, so that is GNU time,
        // which is small.
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("earshot-memory-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let measured = ["/usr/bin/time", "--quiet", "--format", "%M", "--output", path]
        (output, seconds) = try ChildProcess(measured + arguments).finish(statuses: statuses)
        let kilobytes = try String(contentsOfFile: path, encoding: .utf8)
        peakMegabytes = (Double(kilobytes.filter(\.isNumber)) ?? .nan) / 1_024
    }

    /// Lines of what was printed.
    var lines: [Substring] { String(decoding: output, as: UTF8.self).split(separator: "\n") }
}
