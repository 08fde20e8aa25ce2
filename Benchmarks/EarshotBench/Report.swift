import Foundation

/// The output of a measurement, which `all` collects into docs/BENCHMARKS.md.
struct Report {
    var title: String
    var command: String
    var lines: [String] = []
    /// Whether lines are only collected.
    var isQuiet = false

    init(title: String, command: String) {
        self.title = title
        self.command = command
    }

    mutating func add(_ line: String) {
        lines.append(line)
        guard !isQuiet else { return }
        print(line)
        fflush(nil)
    }

    /// A Markdown section.
    var markdown: String {
        "## \(title)\n\n`\(command)`\n\n" + lines.joined(separator: "\n") + "\n"
    }
}

func decimal(_ value: Double, _ places: Int) -> String {
    String(format: "%.\(places)f", value)
}

/// A share 0 ... 1 as a percentage.
func percent(_ share: Double) -> String {
    "\(decimal(100 * share, 1)) %"
}

/// The median of an odd number of values.
func median(_ values: [Double]) -> Double {
    values.sorted()[values.count / 2]
}

/// The folder Benchmarks of this repository.
func benchmarksFolder() -> URL {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<2 {
        folder.deleteLastPathComponent()
    }
    return folder
}
