import EarshotDiscovery
import MessagesTestSupport
import TestSupport
import Testing

@testable import EarshotMessages

@Suite(.apart) struct LeaseDeskTests {
    private let bench = LinkBench()
    private let desk: LeaseDesk
    private let order = LeaseDesk.Order(order: .publication(Message("hello")), playsToken: true)

    init() { desk = LeaseDesk(bench.access) }

    @Test func anOrderIsRegisteredOnceAndWithdrawnAtItsEnd() async throws {
        await desk.set([1: order], in: nil)
        let session = try await bench.session()
        await desk.set([1: order], in: session)
        await desk.set([1: order], in: session)
        #expect(await bench.says("registered 1"))
        #expect(bench.service.things.count == 1)
        await desk.set([:], in: session)
        #expect(await eventually { bench.service.things.isEmpty })
        #expect(bench.service.requests == ["open", "register publication", "withdraw"])
    }

    @Test func anotherSessionRegistersAgainAndWithdrawsNothing() async throws {
        await desk.set([1: order], in: try await bench.session())
        #expect(await bench.says("registered 1"))
        await desk.set([1: order], in: nil)
        await desk.set([1: order], in: try await bench.session())
        #expect(await bench.says("registered 1", times: 2))
        #expect(!bench.service.requests.contains("withdraw"))
    }

    @Test func failedRequestsAreRepeated() async throws {
        let session = try await bench.session()
        bench.service.set(.down)
        await desk.set([1: order], in: session)
        #expect(await bench.says("unregistered 1", times: 2))
        #expect(await bench.problems() == [.serviceUnreachable])
        bench.service.set(.well)
        #expect(await bench.says("registered 1"))
        #expect(await bench.problems().isEmpty)
    }

    @Test func aRefusalForGoodIsNotRepeated() async throws {
        let session = try await bench.session()
        bench.service.set(.refusing(status: 422, code: "out_of_range", retryAfter: nil))
        await desk.set([1: order], in: session)
        #expect(await bench.says("refused 1"))
        await aWhile()
        #expect(bench.service.requests.count { $0 == "register publication" } == 1)
    }

    @Test func aSessionThatIsUnknownIsReportedAndNothingIsRepeatedInIt() async throws {
        let session = try await bench.session()
        bench.service.restart(forgetting: true)
        await desk.set([1: order], in: session)
        #expect(await bench.says("lost"))
        await aWhile()
        #expect(bench.service.requests.count { $0 == "register publication" } == 1)
    }

    @Test func anOrderThatEndsWhileItIsRegisteredIsWithdrawn() async throws {
        let session = try await bench.session()
        bench.service.set(.slow(.milliseconds(200)))
        await desk.set([1: order], in: session)
        #expect(await eventually { bench.service.requests.contains("register publication") })
        await desk.set([:], in: session)
        #expect(await eventually { bench.service.requests.contains("withdraw") && bench.service.things.isEmpty })
        #expect(!bench.words.contains("registered 1"))
    }
}
