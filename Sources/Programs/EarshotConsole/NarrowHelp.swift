package import ArgumentParser
import EarshotBasics
import Glibc

/// Help for terminals with less than 60 columns, where the parser's table of options leaves 14 for a text and breaks lines of JSON
/// apart: the text of an option is below its name, prose is wrapped, and examples stay as they are typed.
package enum NarrowHelp {
    /// From this width on, the parser's own layout is readable.
    private static let sufficientColumnCount = 60
    private static let indentation = String(repeating: " ", count: 6)

    /// The terminal's columns if they are too few for the parser's layout. COLUMNS has precedence, as for the parser.
    static var columnCount: Int? {
        var size = winsize()
        let variable = getenv("COLUMNS").flatMap { Int(String(cString: $0)) }
        let count = variable ?? (ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 ? Int(size.ws_col) : 0)
        return (20..<sufficientColumnCount).contains(count) ? count : nil
    }

    /// Lays out help whose lines were not wrapped.
    package static func text(_ help: String, columnCount: Int) -> String {
        var lines: [String] = []
        // After the usage there are only tables. Before it, codes and variables are entries of one.
        var isTable = false
        var isEntry = false
        for line in help.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            let content = line.drop { $0 == " " }
            let depth = line.count - content.count
            if line.hasPrefix("USAGE:") { isTable = true }
            let word = content.prefix { $0 != " " }
            let isTerm =
                word.allSatisfy { $0.isNumber || $0.isUppercase || $0 == "_" }
                && word.contains { !$0.isLetter || word.count > 3 }
            isEntry = depth > 0 && (isTable || (depth == 2 && isTerm && !word.isEmpty) || (isEntry && depth > 4))
            if content.isEmpty {
                lines.append("")
            } else if isEntry {
                lines += entry(String(content), isContinuation: depth > 4, columnCount: columnCount)
            } else if depth > 0 {
                lines.append(line)
            } else {
                lines += wrapped(line, columnCount)
            }
        }
        return lines.joined(separator: "\n")
    }

    /// A name, and below it its explanation.
    private static func entry(_ content: String, isContinuation: Bool, columnCount: Int) -> [String] {
        let text = wrapped(content, columnCount - indentation.count).map { indentation + $0 }
        guard !isContinuation else { return text }
        let gap = content.firstRange(of: "  ")?.lowerBound ?? content.endIndex
        let explanation = content[gap...].drop { $0 == " " }
        return wrapped(String(content[..<gap]), columnCount - 2).map { "  " + $0 }
            + wrapped(String(explanation), columnCount - indentation.count).map { indentation + $0 }
    }

    /// The words in lines of at most `columnCount` columns; a longer word gets a line of its own.
    private static func wrapped(_ text: String, _ columnCount: Int) -> [String] {
        text.split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, last.count + 1 + word.count <= columnCount {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
    }
}

extension ParsableCommand {
    /// Ends the process as `exit(withError:)` does. Help fits a narrow terminal, and an option's suggestion is similar to it.
    package static func leave(withError error: any Error) -> Never {
        if let text = ParserMessage.improved(fullMessage(for: error)) {
            StandardStream.error.print(text)
            Glibc.exit(exitCode(for: error).rawValue)
        }
        if exitCode(for: error) == .success,
            let text = ParserMessage.mistakenHelp(in: CommandLine.arguments.dropFirst())
        {
            StandardStream.error.print(text.escapedForTerminal)
            Glibc.exit(ExitStatus.usage.rawValue)
        }
        guard let columnCount = NarrowHelp.columnCount, exitCode(for: error) == .success else { exit(withError: error) }
        // Wide enough that nothing is wrapped.
        let text = fullMessage(for: error, columns: 10_000)
        guard text.hasPrefix("OVERVIEW: ") || text.hasPrefix("USAGE: ") else { exit(withError: error) }
        StandardStream.output.print(NarrowHelp.text(text, columnCount: columnCount))
        Glibc.exit(0)
    }
}
