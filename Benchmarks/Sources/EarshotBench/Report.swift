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

/// Wilson's interval for a share, 95 %: (p + z²/2n ± z·√(p(1 − p)/n + z²/4n²)) / (1 + z²/n).
func wilsonInterval(_ count: Int, of total: Int) -> (low: Double, high: Double) {
    let z = 1.96
    let n = Double(total)
    let p = Double(count) / n
    let centre = p + z * z / (2 * n)
    let spread = z * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot()
    let scale = 1 + z * z / n
    return (max(0, (centre - spread) / scale), min(1, (centre + spread) / scale))
}
