import EarshotBasics
import EarshotMessages
import Foundation
import Glibc
import MessagesTestSupport
import NearbyWire
import Synchronization
import TestSupport
import Testing

/// A real agent and its app end in the same moment, at random moments, while messages come and go.
///
/// EARSHOT_KILLS sets the number of kills; 20 take some seconds.
@Suite(.apart, .serialized) struct KillBothTests {
    private static let kills = ProcessInfo.processInfo.environment["EARSHOT_KILLS"].flatMap(Int.init) ?? 20

    @Test func eachEventIsToldAtLeastOnceAndTwiceOnlyUnderItsIdentifier() async throws {
        let home = try Home()
        try home.install("app")
        try await onThread { try Self.run(home, seed: 37) }
    }

    /// Messages that appear and disappear, some of them soon.
    private final class Crowd: @unchecked Sendable {
        private let folder: String
        private var random: SeededGenerator
        private var count = 0
        private var present: [String] = []

        init(_ folder: String, seed: UInt64) {
            self.folder = folder
            random = SeededGenerator(seed: seed)
        }

        func step() {
            count += 1
            let name = "m\(count)"
            close(open("\(folder)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
            present.append(name)
            while present.count > 4 || !present.isEmpty && random.next(3) == 0 {
                unlink("\(folder)/\(present.remove(at: random.next(present.count)))")
            }
        }
    }

    private static func start(_ home: Home, in scratch: Scratch) throws -> Program {
        try Program(
            AgentProcess.folder.appendingPathComponent("push-agent").path, [home.path],
            environment: ["PATH": "/usr/bin:/bin", "HOME": home.path, "XDG_CONFIG_HOME": "\(home.path)/config"],
            in: scratch)
    }

    private static func run(_ home: Home, seed: UInt64) throws {
        print("KillBothTests: \(kills) kills, seed \(seed)")
        let scratch = try Scratch()
        let folder = "\(home.path)/messages"
        for path in [folder, "\(home.path)/run"] { mkdir(path, 0o755) }
        var random = SeededGenerator(seed: seed)
        let crowd = Crowd(folder, seed: seed + 1)
        let operation = BackgroundOperation(key: "key", service: "http://127.0.0.1:9")
        // The events that the app's processes have read, and those on their way to a process that died.
        var (told, unread): ([String: Int], Set<String>) = ([:], [])
        var repeatedCount = 0
        var wasUnreadCount = 0
        func took(_ event: AgentEvent) {
            guard let message = event.message else { return }
            #expect(String(decoding: message.content, as: UTF8.self) == message.id)
            if told[message.id, default: 0] > 0 { repeatedCount += 1 }
            told[message.id, default: 0] += 1
            unread.remove(message.id)
        }
        for kill in 0..<kills {
            let agent = try start(home, in: scratch)
            let delay = UInt32(random.next(250_000))
            let client = try RawClient(home.socket, app: "app")
            let refusal = try client.hold(operation)
            #expect(refusal == nil)
            let killer = Thread {
                usleep(delay)
                agent.kill()
            }
            let coming = Thread {
                while !Thread.current.isCancelled {
                    crowd.step()
                    usleep(15_000)
                }
            }
            coming.start()
            killer.start()
            // The app dies with the agent, or a moment before. It loses the events that it has not read by then. At
            // most 64 events wait, so after a death with many of them the next process reads all.
            let lastCount = unread.count > 8 ? Int.max : random.next(30)
            do {
                for _ in 0..<lastCount {
                    let (events, event) = try client.event()
                    took(event)
                    if random.next(2) == 0 {
                        try client.send(
                            .acknowledge(ClientFrame.Acknowledgement(events.id, sequence: events.sequence)))
                    }
                }
            } catch {}
            while !killer.isFinished { usleep(500) }
            coming.cancel()
            while !coming.isFinished { usleep(500) }
            while let (_, event) = try? client.event() {
                guard let message = event.message, told[message.id] == nil else { continue }
                unread.insert(message.id)
                wasUnreadCount += 1
            }
            #expect(agent.waitForEnd(within: 60), "kill \(kill)")
        }
        // No message is near any more, so every event that comes now has waited.
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) { unlink("\(folder)/\(name)") }
        let agent = try start(home, in: scratch)
        defer { agent.kill() }
        let client = try RawClient(home.socket, app: "app")
        _ = try client.hold(operation)
        try client.send(.request(ClientFrame.Request(.overview)))
        // All waiting events come before the answer.
        while true {
            let frame = try client.next()
            if case .events(let events) = frame { for event in events.events { took(event) } }
            if case .overview = frame { break }
        }
        print(
            "KillBothTests: \(told.count) messages told, \(repeatedCount) again; \(wasUnreadCount) were on their way at a kill, "
                + "\(unread.count) of them never came")
        #expect(unread.isEmpty, "seed \(seed)")
        #expect(told.count > 2 * kills && wasUnreadCount > 0)
    }
}
