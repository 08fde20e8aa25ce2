import Foundation
import Testing

/// The compiled snippets equal the printed ones, except for indentation.
@Suite struct PrintedSnippetTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    static let names = [
        "01-create-manager", "02-publish", "03-subscribe", "04-mediums-audio-scan", "05-debug-logging",
        "06-permission-track", "07-permission-toggle", "08-user-settings-handlers", "09-permission-dialog-override",
        "11-notifications-register", "12-notifications-post-in-found-handler",
        "13-beacon-subscribe", "14-beacon-namespace-type", "15-beacon-eddystone-only", "16-beacon-high-power",
        "17-beacon-permission-dialog-override",
    ]

    private static func lines(_ path: String) throws -> [String] {
        try String(contentsOf: folder.appending(path: path), encoding: .utf8).split(separator: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Whether the lines follow each other; with `isFilled`, there is one more line after each comment.
    private static func holds(_ source: [String], _ snippet: [String], isFilled: Bool = false) -> Bool {
        source.indices.contains { start in
            var index = start
            for (number, line) in snippet.enumerated() {
                guard index < source.count, source[index] == line else { return false }
                let isLastComment =
                    line.hasPrefix("//") && !(number + 1 < snippet.count && snippet[number + 1].hasPrefix("//"))
                index += isFilled && isLastComment ? 2 : 1
            }
            return true
        }
    }

    @Test(arguments: names)
    func `the snippets compiled in both language modes equal the printed ones`(name: String) throws {
        let snippet = try Self.lines("Printed/\(name).swift.txt")
        #expect(snippet.count >= 1)
        #expect(Self.holds(try Self.lines("Snippets.swift"), snippet))
        #expect(Self.holds(try Self.lines("../../NearbyMessagesSwift5Tests/Snippets.swift"), snippet))
    }

    @Test(arguments: names.filter { ["03", "06", "08", "09"].contains($0.prefix(2)) })
    func `added lines stand only after comments`(name: String) throws {
        let snippet = try Self.lines("Printed/\(name).swift.txt")
        #expect(Self.holds(try Self.lines("FilledSnippets.swift"), snippet, isFilled: true))
        #expect(
            Self.holds(try Self.lines("../../NearbyMessagesSwift5Tests/FilledSnippets.swift"), snippet, isFilled: true))
    }
}
