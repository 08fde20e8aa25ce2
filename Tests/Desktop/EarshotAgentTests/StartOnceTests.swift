import EarshotBasics
import EarshotMessages
import EarshotPush
import Foundation
import Glibc
import MessagesTestSupport
import NearbyWire
import TestSupport
import Testing

/// A call and a message for an app that does not run come at the same moment. A real agent starts the app once.
///
/// EARSHOT_KILLS sets the number of rounds; 10 take some seconds.
@Suite(.apart, .serialized) struct StartOnceTests {
    private static let rounds = ProcessInfo.processInfo.environment["EARSHOT_KILLS"].flatMap(Int.init) ?? 10

    @Test func aCallAndAMessageStartOneApp() async throws {
        let push = try PushHome()
        let script = "echo $EARSHOT_LAUNCHED_BY $$ >> \(push.appFile); exec sleep 600"
        try push.home.install("app", modes: Home.allModes + ["voip"], command: ["/bin/sh", "-c", script])
        try push.home.scratch.write("Ship", to: "network")
        var configuration = push.configuration()
        configuration.providerConfiguration["calls"] = .string("\(push.home.path)/calls")
        try push.store.save(configuration)
        let messages = "\(push.home.path)/messages"
        mkdir(messages, 0o755)
        try await onThread { try Self.run(push, messages) }
    }

    private static func run(_ push: PushHome, _ messages: String) throws {
        let scratch = try Scratch()
        let home = push.home.path
        let agent = try Program(
            AgentProcess.folder.appendingPathComponent("push-agent").path, [home],
            environment: [
                "PATH": "/usr/bin:/bin", "HOME": home, "XDG_CONFIG_HOME": "\(home)/config",
                "XDG_RUNTIME_DIR": "\(home)/run", "EARSHOT_AGENT_SOCKET": push.home.socket,
            ], in: scratch)
        defer { agent.kill() }
        let operation = BackgroundOperation(key: "key", service: "http://127.0.0.1:9")
        let refusal = try RawClient(push.home.socket, app: "app").hold(operation)
        #expect(refusal == nil)
        var random = SeededGenerator(seed: 38)
        var reasons: [String: Int] = [:]
        for round in 1...rounds {
            // The provider and the service look at their folders every few milliseconds.
            let isCallFirst = random.next(2) == 0
            if isCallFirst { try push.call("\(round)") }
            close(open("\(messages)/m\(round)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
            usleep(UInt32(random.next(12_000)))
            if !isCallFirst { try push.call("\(round)") }
            for _ in 0..<3_000 where push.appLines.count < round { usleep(10_000) }
            guard push.appLines.count == round, let line = push.appLines.last else {
                Issue.record("round \(round): \(push.appLines.suffix(3)), \(agent.error.suffix(2_000))")
                return
            }
            let parts = line.split(separator: " ")
            reasons[String(parts[0]), default: 0] += 1
            // A second start would come within the pause between two starts of this agent.
            usleep(300_000)
            // The app connects and gets both, which have waited.
            let client = try RawClient(push.home.socket, app: "app")
            _ = try client.hold(operation)
            try client.send(.pushWatch(PushFrame.Watch()))
            var (hasMessage, hasCall) = (false, false)
            while !hasMessage || !hasCall {
                switch try client.next() {
                case .events(let events):
                    if events.events.contains(where: { $0.message?.id == "m\(round)" }) { hasMessage = true }
                    try client.send(.acknowledge(ClientFrame.Acknowledgement(events.id, sequence: events.sequence)))
                case .pushEvent(let event):
                    hasCall = true
                    try client.send(.pushTaken(PushFrame.Taken([event.id])))
                default: break
                }
            }
            unlink("\(messages)/m\(round)")
            // When the agent answers, it has handled the acknowledgements.
            _ = try client.overview()
            #expect(push.appLines.count == round, "round \(round)")
            if let process = pid_t(parts[1]), process > 1 { kill(process, SIGKILL) }
        }
        usleep(500_000)
        #expect(push.appLines.count == rounds)
        print("StartOnceTests: \(rounds) rounds, \(push.appLines.count) starts, \(reasons)")
    }
}
