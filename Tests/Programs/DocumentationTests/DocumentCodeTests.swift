import Foundation
import TestSupport
import Testing

/// The Swift code of the README and of docs/ compiles as it is printed, as the main file of an app without upcoming features.
///
/// A block is a whole program. A block with the words `swift continued` continues the block before it in its document.
@Suite(.enabled(if: Compiler.missing == nil, "\(Compiler.missing ?? "")")) struct DocumentCodeTests {
    /// A block of a document, with the blocks that it continues.
    struct Block: Sendable, CustomTestStringConvertible {
        var document: String
        /// The line of its first code.
        var line: Int
        var code: String

        var testDescription: String { "\(document):\(line)" }
    }

    /// The programs of a text.
    static func blocks(_ document: String, _ text: String) -> [Block] {
        var blocks: [Block] = []
        var open: Block?
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if let block = open {
                if line == "```" {
                    blocks.append(block)
                    open = nil
                } else {
                    open?.code += "\(line)\n"
                }
            } else if line == "```swift" || line == "```swift continued" {
                let earlier = line == "```swift" ? "" : blocks.last?.code ?? ""
                open = Block(document: document, line: number + 2, code: earlier)
            }
        }
        return blocks
    }

    private static let all: [Block] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Repository.path("docs"))) ?? []
        let documents = ["README.md"] + names.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
        return documents.flatMap { name in
            blocks(name, String(decoding: (try? Repository.contents(name)) ?? Data(), as: UTF8.self))
        }
    }()

    @Test func `blocks are found, and continued ones with those before`() {
        let text =
            "a\n```swift\nlet a = 1\n```\n```sh\nls\n```\n```swift continued\nlet b = a\n```\n```swift\nlet c = 2\n```\n"
        let blocks = Self.blocks("x.md", text)
        #expect(blocks.map(\.code) == ["let a = 1\n", "let a = 1\nlet b = a\n", "let c = 2\n"])
        #expect(blocks.map(\.line) == [3, 9, 12])
        #expect(Self.all.contains { $0.document == "README.md" })
        #expect(Self.all.contains { $0.document == "docs/MESSAGES.md" })
    }

    @Test func `code that is wrong does not compile`() throws {
        #expect(try Compiler.complaint("import EarshotMessages\nlet prompt = TerminalPrompt()\n") == nil)
        // The import of Foundation is missing here, as it once was in docs/MESSAGES.md.
        let complaint = try Compiler.complaint("import NearbyMessages\nlet message = GNSMessage(content: Data())\n")
        #expect(complaint?.contains("cannot find 'Data' in scope") == true)
    }

    @Test(arguments: all) func `the block compiles`(block: Block) throws {
        let complaint = try Compiler.complaint(block.code)
        #expect(complaint == nil, "\(block.document), line \(block.line)")
    }
}

/// The compiler, with the modules that these tests were built with.
private enum Compiler {
    private static let built = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()

    /// The folders of the modules and of the C modules that they need.
    private static let folders =
        [
            built.path + "/Modules", built.path + "/CEarshotKernels.build",
            built.deletingLastPathComponent().deletingLastPathComponent().path
                + "/checkouts/swift-numerics/Sources/_NumericsShims/include",
        ]
        + ["CALSA", "CCrypto", "CFFTW3", "CMalloc", "CSndFile", "CSystemd"].map {
            Repository.path("Sources/System/\($0)")
        }

    private static let searchPath = ProcessInfo.processInfo.environment["PATH"] ?? ""

    /// The missing requirement of these tests; nil if there is none.
    static let missing: String? = {
        let files = FileManager.default
        guard searchPath.split(separator: ":").contains(where: { files.isExecutableFile(atPath: "\($0)/swiftc") })
        else {
            return "There is no swiftc in PATH."
        }
        return folders.first { !files.fileExists(atPath: $0) }.map {
            "There is no \($0): another build system made this."
        }
    }()

    /// Checks a program without building it.
    /// - Returns: the compiler's output, including warnings; nil if there is none.
    static func complaint(_ code: String) throws -> String? {
        let scratch = try Scratch()
        try scratch.save(Data(code.utf8), "main.swift")
        let options = ["-typecheck", "-swift-version", "6", "-module-cache-path", built.path + "/ModuleCache"]
        let compiler = try Program(
            "swiftc", options + folders.map { "-I\($0)" } + ["main.swift"],
            environment: ["PATH": searchPath, "HOME": scratch.url.path], in: scratch)
        guard compiler.waitForEnd(within: 120) else { throw SoundCard.Trouble(description: compiler.account) }
        let said = compiler.output + compiler.error
        return compiler.status == 0 && said.isEmpty ? nil : "\(compiler.account)\(compiler.output)"
    }
}
