/// The long part of a command's help, split into paragraphs of prose, verbatim lines (indented in the help), and the
/// parts that have a section of their own in a manual.
struct Discussion {
    enum Element: Equatable {
        case paragraph(String)
        case lines([String])
    }

    var description: [Element] = []
    var examples: [Element] = []
    var exitStatus: [Element] = []
    /// The variables of the environment that count.
    var environment: [Element] = []

    init(_ text: String) {
        for block in Self.blocks(text) {
            guard case .paragraph(let first) = block.first else {
                description += block
                continue
            }
            if first == "EXAMPLES:" {
                examples += block.dropFirst()
            } else if first == "ENVIRONMENT:" {
                environment += block.dropFirst()
            } else if first == "EXIT CODES:" {
                exitStatus += block.dropFirst()
            } else if first.hasPrefix("Exit codes: ") {
                exitStatus += [.paragraph(Self.capitalized(first.dropFirst("Exit codes: ".count)))] + block.dropFirst()
            } else if first.hasPrefix("The exit code ") {
                exitStatus += block
            } else {
                description += block
            }
        }
    }

    /// The blocks between empty lines. A line of prose is a paragraph; a run of indented lines stays together.
    private static func blocks(_ text: String) -> [[Element]] {
        var blocks: [[Element]] = [[]]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            var block = blocks.removeLast()
            if line.isEmpty {
                blocks += [block, []]
                continue
            }
            if !line.hasPrefix(" ") {
                block.append(.paragraph(line))
            } else if case .lines(let lines)? = block.last {
                block[block.count - 1] = .lines(lines + [line])
            } else {
                block.append(.lines([line]))
            }
            blocks.append(block)
        }
        return blocks.filter { !$0.isEmpty }
    }

    private static func capitalized(_ text: Substring) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }
}
