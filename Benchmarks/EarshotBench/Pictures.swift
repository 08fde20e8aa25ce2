import Foundation

/// Where pictures go, beside docs/BENCHMARKS.md.
struct Pictures {
    var folder: String

    /// Writes one and refers to it.
    func save(_ document: String, _ name: String, alternative: String, _ report: inout Report) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try document.write(toFile: "\(folder)/\(name).svg", atomically: true, encoding: .utf8)
        report.add("![\(alternative)](benchmarks/\(name).svg)")
    }
}
