import EarshotDiscovery
import MessagesTestSupport
import Synchronization
import TestSupport
import Testing

@testable import EarshotMessages

@Suite(.apart) struct PermissionDeskTests {
    private let gate = ScriptedGate()
    private let news = Lines()

    private func desk() -> PermissionDesk {
        PermissionDesk(gate, application: "test") { [news] item in
            switch item {
            case .answered(let number, let state): news.add("\(number) \(state)")
            case .changed(let state, let need): news.add("\(need) \(state)")
            }
        }
    }

    private func handle(_ number: Int) -> OperationHandle {
        OperationHandle(number, Operation(.directSubscription, DiscoveryStrategy()), consent: nil) { _ in }
    }

    @Test func eachOperationHasAnAnswerAndAllHaveTheChanges() async {
        var desk = desk()
        #expect(desk.ask(for: handle(1)) == nil)
        #expect(await eventually { gate.purposes.count == 1 })
        #expect(news.all.isEmpty)
        gate.decide(.granted)
        #expect(await eventually { news.all.contains("1 granted") && news.all.contains("none granted") })
        gate.decide(.denied)
        #expect(await eventually { news.all.contains("none denied") })
        #expect(desk.ask(for: handle(2)) == nil)
        #expect(await eventually { news.all.contains("2 denied") })
        #expect(news.all.count == 4, "the state before any request is no news")
        desk.close()
    }

    @Test func anOperationThatEndedHasNoAnswer() async {
        var desk = desk()
        #expect(desk.ask(for: handle(1)) == nil)
        #expect(await eventually { gate.purposes.count == 1 })
        desk.forget(1)
        gate.decide(.granted)
        #expect(await eventually { news.all == ["none granted"] })
        await aWhile()
        #expect(news.all == ["none granted"])
        desk.close()
    }

    @Test func aRefusalIsASentence() {
        struct Wall: PermissionGate {
            func refusal(of purpose: ConsentPurpose) -> String? { "not \(purpose.applicationIdentifier)" }
            func request(_: ConsentPurpose, override _: ConsentHandler?) async -> PermissionState { .granted }
            var changes: AsyncStream<PermissionState> { AsyncStream { $0.finish() } }
        }
        var desk = PermissionDesk(Wall(), application: "test") { _ in }
        #expect(desk.ask(for: handle(1)) == "not test")
    }
}
