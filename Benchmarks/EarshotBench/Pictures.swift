import Foundation

/// The folder of the pictures, beside docs/BENCHMARKS.md.
struct Pictures {
    var folder: String

    /// Writes a picture and adds a reference to it.
    func save(_ document: String, _ name: String, alternative: String, _ report: inout Report) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try document.write(toFile: "\(folder)/\(name).svg", atomically: true, encoding: .utf8)
        report.add("![\(alternative)](benchmarks/\(name).svg)")
    }
}
