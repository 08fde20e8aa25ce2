import EarshotDiscovery
import NearbyWire
import TestSupport
import Testing

@testable import EarshotMessages

@Suite(.apart) struct AgentDeskTests {
    private let opened = Counter()
    private let wanted = Counter()

    private func desk() -> AgentDesk {
        let opened = opened
        return AgentDesk(Foreground(interval: .seconds(3_600), ownsTerminal: { true }), Timeline()) {
            opened.add()
            return AgentClient(
                BackgroundAgent(path: "/nowhere/agent"), app: "test", isForeground: { true }, note: { _ in }
            ) { _ in }
        }
    }

    private func set(_ desk: inout AgentDesk, _ identifiers: Set<String>) {
        desk.set(identifiers) { _ in
            wanted.add()
            let operation = BackgroundOperation(key: "key", service: "http://nowhere.invalid", mode: .both)
            return AgentDesk.Order(operation: operation, endsAt: nil, known: [])
        }
    }

    @Test func withoutOperationsThereIsNoClient() async {
        var desk = desk()
        set(&desk, [])
        desk.release("a")
        #expect(opened.count == 0)
        await desk.close()
    }

    @Test func eachConnectionIsAskedOnceForEachOperation() async {
        var desk = desk()
        for _ in 0..<3 { set(&desk, ["a", "b"]) }
        #expect(opened.count == 1 && wanted.count == 2)
        desk.reconnected()
        for _ in 0..<3 { set(&desk, ["a", "b"]) }
        #expect(opened.count == 1 && wanted.count == 4)
        // The desk asks again for an operation that stopped and starts again.
        set(&desk, ["a"])
        set(&desk, ["a", "b"])
        #expect(wanted.count == 5)
        desk.release("a")
        await desk.close()
    }
}
