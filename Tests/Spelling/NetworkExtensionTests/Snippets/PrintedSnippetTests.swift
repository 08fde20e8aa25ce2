import Foundation
import Testing

/// The compiled snippets equal the printed ones, except for indentation.
@Suite struct PrintedSnippetTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    static let names = [
        "19-localpush-create-configuration", "20-localpush-provider-lifecycle",
        "21-localpush-appdelegate-incoming-call",
    ]

    private static func lines(_ path: String) throws -> [String] {
        try String(contentsOf: folder.appending(path: path), encoding: .utf8).split(separator: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.hasPrefix("import ") }
            // The filled snippet's class has another name.
            .map { $0.replacing("class FilledAppDelegate", with: "class AppDelegate") }
    }

    /// Whether the lines follow each other; with `isFilled`, there is one more line after each comment.
    private static func holds(_ source: [String], _ snippet: [String], isFilled: Bool = false) -> Bool {
        source.indices.contains { start in
            var index = start
            for line in snippet {
                guard index < source.count, source[index] == line else { return false }
                index += isFilled && line.hasPrefix("//") ? 2 : 1
            }
            return true
        }
    }

    @Test(arguments: names)
    func `the snippets compiled in both language modes equal the printed ones`(name: String) throws {
        let snippet = try Self.lines("Printed/\(name).swift.txt")
        #expect(snippet.count > 5)
        #expect(Self.holds(try Self.lines("Snippets.swift"), snippet))
        #expect(Self.holds(try Self.lines("../../NetworkExtensionSwift5Tests/Snippets.swift"), snippet))
    }

    @Test(arguments: names.filter { !$0.hasPrefix("20") })
    func `added lines stand only after comments`(name: String) throws {
        let snippet = try Self.lines("Printed/\(name).swift.txt")
        #expect(Self.holds(try Self.lines("FilledSnippets.swift"), snippet, isFilled: true))
        #expect(
            Self.holds(
                try Self.lines("../../NetworkExtensionSwift5Tests/FilledSnippets.swift"), snippet, isFilled: true))
    }
}
