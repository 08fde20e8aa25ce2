import Foundation
import TestSupport
import Testing

/// Each test that docs/CAPABILITIES.md names exists, and each capability of messages has one.
@Suite struct CapabilityTests {
    private struct Row {
        var capabilities: [String]
        var shown: String
    }

    private static func rows() throws -> [Row] {
        let text = String(decoding: try Repository.contents("docs/CAPABILITIES.md"), as: UTF8.self)
        return text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 4, cells[0].contains(/^[ABC]\d/) else { return nil }
            let names = cells[0].components(separatedBy: ", ").flatMap { name -> [String] in
                let ends = name.components(separatedBy: " to ").compactMap { Int($0.dropFirst()) }
                guard let first = ends.first, let last = ends.last else { return [name] }
                return (first...last).map { "\(name.prefix(1))\($0)" }
            }
            return Row(capabilities: names, shown: cells[3])
        }
    }

    @Test func `each capability of messages has a test, and each test that is named exists`() throws {
        let (rows, tests) = (try Self.rows(), try NamedTests())
        var shown: Set<String> = []
        for row in rows {
            // The text after the semicolon names missing parts, and the text before it the tests of the others.
            let names = row.shown.matches(of: /`([^`]+)`/).map { String($0.1) }
            if names.contains(where: tests.contains) { shown.formUnion(row.capabilities) }
            for name in names where name.contains(/Tests$/) || name.contains(/^[a-z]+(-[a-z]+)+$/) {
                #expect(tests.contains(name), "\(row.capabilities) names \(name)")
            }
        }
        for number in 1...24 { #expect(shown.contains("A\(number)"), "A\(number) has no test") }
    }
}

/// All documents name the same minimum system.
@Suite struct MinimumSystemTests {
    @Test func `the manifests, the Makefile and the README name one Swift`() throws {
        func text(_ path: String) throws -> String { String(decoding: try Repository.contents(path), as: UTF8.self) }
        let version = try #require(
            try text("Package.swift").firstMatch(of: /^\/\/ swift-tools-version: (\d+\.\d+)\n/)?.1)
        #expect(try text("Server/Package.swift").hasPrefix("// swift-tools-version: \(version)\n"))
        #expect(try text("README.md").contains("Debian 12 or Ubuntu with Swift \(version) or later"))
        #expect(try text("CONTRIBUTING.md").contains("Debian 12 or Ubuntu, and Swift \(version) or later"))
        #expect(try text("Makefile").contains("'Swift \(version) or later is needed"))
    }
}
