import MessagesTestSupport
import TestSupport
import Testing

@testable import EarshotMessages

@Suite(.apart) struct SessionLinkTests {
    private let bench = LinkBench()
    private let link: SessionLink

    init() { link = SessionLink(bench.access) }

    @Test func aSessionIsOpenedOnceAndKept() async {
        #expect(bench.service.requests.isEmpty)
        await link.set(isNeeded: true)
        await link.set(isNeeded: true)
        #expect(await bench.says("opened"))
        await link.set(isNeeded: false)
        await link.set(isNeeded: true)
        #expect(bench.service.requests == ["open"] && bench.service.sessionCount == 1)
        await link.end()
        #expect(bench.service.sessionCount == 0)
    }

    @Test func itAsksAgainUntilTheServiceIsThere() async {
        bench.service.set(.down)
        await link.set(isNeeded: true)
        #expect(await bench.says("unopened", times: 2))
        #expect(await bench.problems() == [.serviceUnreachable])
        bench.service.set(.well)
        #expect(await bench.says("opened"))
        #expect(await bench.problems().isEmpty)
    }

    @Test func itAsksNoMoreWhenNothingNeedsASession() async {
        bench.service.set(.down)
        await link.set(isNeeded: true)
        #expect(await bench.says("unopened"))
        await link.set(isNeeded: false)
        let count = bench.service.requests.count
        await aWhile()
        #expect(bench.service.requests.count <= count + 1)
    }

    @Test func aLostSessionIsReplacedOnce() async throws {
        await link.set(isNeeded: true)
        #expect(await bench.says("opened"))
        let first = try #require(bench.sessions.first)
        await link.lost(first)
        await link.set(isNeeded: true)
        #expect(await bench.says("opened", times: 2))
        // The link already knows that the session is lost.
        await link.lost(first)
        await link.set(isNeeded: true)
        await aWhile()
        #expect(bench.sessions.count == 2 && Set(bench.sessions).count == 2)
    }
}
