import Foundation
import TestSupport
import Testing

/// The link budget of docs/range.md, which docs/range.py computes.
@Suite(.enabled(if: Repository.hasPython, "python3 is not installed")) struct RangeTableTests {
    private static func output(_ arguments: String...) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-B", Repository.path("docs/range.py")] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: output, as: UTF8.self)
    }

    @Test func theTablesAreThoseOfTheScript() throws {
        let page = String(decoding: try Repository.contents("docs/range.md"), as: UTF8.self)
        let tables = try Self.output()
        #expect(tables.contains("| `standard`, −12 dBFS |"))
        #expect(page.contains("<!-- range.py begins -->\n\(tables)<!-- range.py ends -->\n"), "docs/range.py --write")
    }

    /// ISO 9613-2, Table 2, 8 kHz, for six kinds of weather, in dB a kilometre. The standard rounds to three digits.
    @Test func absorptionIsThatOfTheStandard() throws {
        let computed = try Self.output("--absorption").split(separator: " ").compactMap {
            Double($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        let printed = [117, 76.6, 59.3, 202, 129, 82.8]
        try #require(computed.count == printed.count)
        for (own, standard) in zip(computed, printed) { #expect(abs(own / standard - 1) < 0.005, "\(own) \(standard)") }
    }

    /// The script has the same limits as the README.
    @Test func neededSNRsAreThoseOfTheReadme() throws {
        let readme = String(decoding: try Repository.contents("README.md"), as: UTF8.self)
        let script = String(decoding: try Repository.contents("docs/range.py"), as: UTF8.self)
        #expect(script.contains(#""fast": (-6.5, 2.0), "standard": (-9.6, -4.0), "far": (-12.4, -7.8)"#))
        #expect(readme.contains("`fast` −6.5, `standard` −9.6, `far` −12.4 dB"))
        #expect(readme.contains("`fast` 2.0, `standard` −4.0, `far` −7.8 dB"))
    }
}
