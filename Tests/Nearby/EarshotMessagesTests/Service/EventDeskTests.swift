import MessagesTestSupport
import TestSupport
import Testing

@testable import EarshotMessages

@Suite(.apart) struct EventDeskTests {
    private let bench = LinkBench()

    @Test func itReadsWhileItIsNeededAndThereIsASession() async throws {
        var desk = EventDesk(bench.access)
        desk.set(isNeeded: true, in: nil)
        let session = try await bench.session()
        desk.set(isNeeded: true, in: session)
        desk.set(isNeeded: true, in: session)
        #expect(await bench.says("ready"))
        #expect(bench.service.requests == ["open", "events"])
        desk.set(isNeeded: false, in: session)
        bench.service.restart()
        await aWhile()
        #expect(bench.words == ["ready"], "it reads no more")
    }

    @Test func itConnectsAgainWheneverAConnectionEnds() async throws {
        var desk = EventDesk(bench.access)
        desk.set(isNeeded: true, in: try await bench.session())
        #expect(await bench.says("ready"))
        bench.service.set(.down)
        #expect(await bench.says("stream ended", times: 2))
        #expect(await bench.problems() == [.serviceUnreachable])
        bench.service.set(.well)
        #expect(await bench.says("ready", times: 2))
        #expect(await bench.problems().isEmpty)
        desk.set(isNeeded: false, in: nil)
    }

    @Test func aSessionThatIsUnknownIsReported() async throws {
        var desk = EventDesk(bench.access)
        desk.set(isNeeded: true, in: try await bench.session())
        #expect(await bench.says("ready"))
        bench.service.restart(forgetting: true)
        #expect(await bench.says("lost"))
        await aWhile()
        #expect(bench.words == ["ready", "stream ended", "stream ended", "lost"])
    }
}
