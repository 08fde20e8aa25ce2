import EarshotBasics
import EarshotMessages
import Foundation
import Glibc
import NearbyWire
import TestSupport
import Testing

/// A real agent is killed at random moments while an app starts and ends operations.
///
/// EARSHOT_KILLS sets the number of kills; 20 take some seconds.
@Suite(.apart, .serialized) struct KillTests {
    private static let kills = ProcessInfo.processInfo.environment["EARSHOT_KILLS"].flatMap(Int.init) ?? 20

    @Test func nothingWantedIsLostAndNothingEndedComesBack() async throws {
        let seed = UInt64(18)
        print("KillTests: \(Self.kills) kills, seed \(seed)")
        let home = try Home()
        try home.install("app")
        try await onThread { try Self.run(home, seed: seed) }
    }

    private static func run(_ home: Home, seed: UInt64) throws {
        let agent = try AgentProcess(home)
        var random = SeededGenerator(seed: seed)
        let operations = (0..<24).map { number in
            BackgroundOperation(
                key: "key", service: "http://127.0.0.1:9", content: Data(repeating: UInt8(number), count: number * 500))
        }
        var wanted: Set<String> = []
        var confirmedCount = 0
        for kill in 0..<kills {
            try agent.start()
            let present = Set(try RawClient(home.socket, app: nil).overview().apps.flatMap { $0.operations.map(\.id) })
            #expect(present == wanted, "seed \(seed), before kill \(kill)")
            wanted = present
            let delay = UInt32(random.next(400_000))
            let killer = Thread {
                usleep(delay)
                agent.kill()
            }
            killer.start()
            // A request that was on its way when the agent died may or may not count.
            var open: (id: String, isHold: Bool)?
            do {
                while true {
                    let client = try RawClient(home.socket, app: "app", attempts: 1)
                    // Each connection stays within the limit of frames a second.
                    for _ in 0..<100 {
                        let operation = operations[random.next(operations.count)]
                        let isHold = !wanted.contains(operation.id)
                        open = (operation.id, isHold)
                        if isHold {
                            if let refusal = try client.hold(operation) { Issue.record("refused: \(refusal)") }
                            wanted.insert(operation.id)
                        } else {
                            try client.release(operation.id)
                            wanted.remove(operation.id)
                        }
                        confirmedCount += 1
                        open = nil
                    }
                    client.end()
                }
            } catch {}
            while !killer.isFinished { usleep(1_000) }
            guard let open else { continue }
            try agent.start()
            let after = Set(try RawClient(home.socket, app: nil).overview().apps.flatMap { $0.operations.map(\.id) })
            agent.kill()
            let (lost, extra) = (wanted.subtracting(after), after.subtracting(wanted))
            #expect(lost.subtracting([open.id]).isEmpty, "lost, seed \(seed), kill \(kill)")
            #expect(extra.subtracting([open.id]).isEmpty, "not wanted, seed \(seed), kill \(kill)")
            wanted = after
        }
        print("KillTests: \(confirmedCount) confirmed changes")
        #expect(confirmedCount > 2 * kills)
    }
}

extension SeededGenerator {
    /// A number from 0 to `count` - 1.
    mutating func next(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
}
