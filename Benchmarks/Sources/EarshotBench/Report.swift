import Foundation

/// What a measurement prints, and what `all` collects into docs/BENCHMARKS.md.
struct Report {
    var title: String
    var command: String
    var lines: [String] = []

    init(title: String, command: String) {
        self.title = title
        self.command = command
    }

    mutating func add(_ line: String) {
        lines.append(line)
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
