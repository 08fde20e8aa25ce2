import Foundation
import TestSupport
import Testing

/// This folder contains the code of the documentation's articles, so it compiles. The tests run the code that needs no
/// device.
@Suite struct ArticleCodeTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let root = URL(fileURLWithPath: Repository.path(""))

    /// Paths of the pages in all catalogues, from the repository's root.
    static let pages: [String] = {
        let sources = FileManager.default.enumerator(
            at: root.appending(path: "Sources"), includingPropertiesForKeys: nil)
        let files = sources?.compactMap { ($0 as? URL)?.path } ?? []
        return files.filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.map {
            String($0.dropFirst(root.path.count + 1))
        }
        .sorted()
    }()

    /// All Swift code of this folder.
    private static func testCode() throws -> String {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "swift" }
            .map { try normalized(String(contentsOf: $0, encoding: .utf8)) }.joined(separator: "\n")
    }

    /// Lines without indentation, imports and empty lines.
    private static func normalized(_ code: String) -> String {
        code.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("import ") }.joined(separator: "\n")
    }

    /// The Swift blocks of a page.
    static func blocks(in page: String) -> [String] {
        page.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "\n```")[0] }
    }

    @Test func thereAreCataloguesWithCode() throws {
        #expect(Self.pages.contains("Sources/Modem/EarshotModem/EarshotModem.docc/SendAndReceive.md"))
        let page = "Text.\n```swift\nimport A\nlet a = 1\n```\nMore.\n```swift\nlet b = 2\n```\n"
        #expect(Self.blocks(in: page).map(Self.normalized) == ["let a = 1", "let b = 2"])
    }

    @Test(arguments: pages) func codeOfThePageStandsInTheseTests(page: String) throws {
        let text = try String(contentsOf: Self.root.appending(path: page), encoding: .utf8)
        let code = try Self.testCode()
        for block in Self.blocks(in: text) {
            #expect(code.contains(Self.normalized(block)), "\(page) has code that no test compiles:\n\(block)")
        }
    }
}
