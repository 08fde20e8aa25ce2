import Foundation
import TestSupport
import Testing

/// The sample of Samples/Background: the user's choice survives every kill.
@Suite(.apart, .serialized) struct SampleTests {
    @Test func theSampleSurvivesBeingKilled() async throws {
        let home = try Home()
        try home.install("background-sample", modes: ["bluetooth-central"])
        let agent = try AgentProcess(home)
        @Sendable func sample(_ words: String...) throws -> Program {
            try agent.run(
                "background-sample", words, variables: ["EARSHOT_KEY": "key", "EARSHOT_SERVICE": "http://127.0.0.1:9"])
        }
        try await onThread {
            let off = try sample()
            #expect(off.waitForEnd(within: 60) && off.output == "The background is off.\n", "\(off.account)")
            try agent.start()
            let first = try sample("on")
            #expect(
                try agent.waitForList { $0.contains(#""running":[\#(first.processIdentifier)]"#) }, "\(first.account)")
            first.kill()
            #expect(try agent.waitForList { $0.contains(#""running":[],"#) })
            agent.kill()
            try agent.start()
            #expect(try agent.waitForList { $0.contains(#""running":[],"#) }, "as after a restart of the machine")
            // Its user starts it again: it continues the same subscription.
            let second = try sample()
            #expect(
                try agent.waitForList {
                    $0.contains(#""running":[\#(second.processIdentifier)]"#) && $0.split(separator: "\n").count == 1
                })
            second.kill()
            let last = try sample("off")
            #expect(last.waitForEnd(within: 60) && last.status == 0)
        }
    }
}
