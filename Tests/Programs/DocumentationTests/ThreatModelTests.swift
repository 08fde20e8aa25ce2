import Foundation
import TestSupport
import Testing

/// SECURITY.md's threat model names existing tests for each attacker.
@Suite struct ThreatModelTests {
    private static let attackers = ["In the room", "On the network", "On the machine", "At the service"]

    @Test func `each attacker is refused by tests that exist`() throws {
        let (text, tests) = (String(decoding: try Repository.contents("SECURITY.md"), as: UTF8.self), try NamedTests())
        let model = try #require(text.components(separatedBy: "\n## Threat model\n").dropFirst().first)
            .components(separatedBy: "\n## ")[0]
        let parts = model.components(separatedBy: "\n### ").dropFirst()
        #expect(parts.map { String($0.prefix { $0 != "\n" && $0 != "," }) } == Self.attackers)
        for part in parts {
            let rows = part.split(separator: "\n").filter { $0.hasPrefix("| ") }.map {
                $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            }
            #expect(rows.count >= 4, "\(part.prefix(20)) has \(rows.count) rows")
            for row in rows where row != ["attack", "what happens", "shown by"] {
                try #require(row.count == 3, "\(row)")
                let names = row[2].matches(of: /`([^`]+)`/).map { String($0.1) }
                #expect(!names.isEmpty || row[1].hasPrefix("**Not prevented"), "nothing shows: \(row[0])")
                for name in names { #expect(tests.contains(name), "\(row[0]): there is no test \(name)") }
            }
        }
    }

    /// A core dump would contain keys, messages and tokens.
    @Test(arguments: ["Server/Operation/earshotd.service", "Sources/Programs/systemd/earshot-agent.service.in"])
    func `no core is written of a program that systemd runs`(_ unit: String) throws {
        #expect(String(decoding: try Repository.contents(unit), as: UTF8.self).contains("\nLimitCORE=0\n"))
    }
}
