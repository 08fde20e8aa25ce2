import EarshotCoding
import MessagesTestSupport
import TestSupport
import Testing

@testable import EarshotMessages

@Suite(.apart) struct SightingDeskTests {
    private let bench = LinkBench()
    private let desk: SightingDesk
    private let token: Payload

    init() throws {
        token = try Payload([UInt8](repeating: 1, count: 8))
        desk = SightingDesk(bench.access, age: { _ in .seconds(1) })
    }

    private func reports(_ word: String) -> Int { bench.service.requests.count { $0 == word } }

    @Test func itReportsWhatComesAndGoes() async throws {
        await desk.hear(token)
        await aWhile()
        #expect(bench.service.requests.isEmpty, "no operation needs reports yet")
        await desk.set(isNeeded: true, in: try await bench.session(), hasStream: true)
        #expect(await bench.says("reported"))
        #expect(reports("report +1 -0") == 1 && bench.service.ages == [.seconds(1)])
    }

    @Test func failedReportsAreRepeated() async throws {
        await desk.set(isNeeded: true, in: try await bench.session(), hasStream: true)
        bench.service.set(.down)
        await desk.hear(token)
        #expect(await eventually { reports("report +1 -0") >= 2 })
        #expect(await bench.problems() == [.serviceUnreachable] && bench.words.isEmpty)
        bench.service.set(.well)
        #expect(await bench.says("reported"))
        #expect(await bench.problems().isEmpty)
    }

    /// A token that the service knows is near, and has been reported to it.
    private func report(in session: ServiceSession) async throws -> Payload {
        let registration = try await bench.access.service.register(
            .publication(Message("hello")), timeToLive: .seconds(60), idempotencyKey: "key", in: session)
        await desk.set(isNeeded: true, in: session, hasStream: true)
        await desk.hear(registration.token)
        #expect(await bench.says("reported"))
        return registration.token
    }

    @Test func aTokenThatIsGoneIsReported() async throws {
        let token = try await report(in: bench.session())
        await desk.lose(token)
        #expect(await bench.says("reported", times: 2))
        #expect(reports("report +0 -1") == 1)
    }

    @Test func anotherSessionHearsOnlyWhatIsNearNow() async throws {
        let known = try await report(in: bench.session())
        await desk.set(isNeeded: true, in: nil, hasStream: false)
        await desk.lose(known)
        await desk.set(isNeeded: true, in: try await bench.session(), hasStream: true)
        await desk.hear(token)
        #expect(await bench.says("reported", times: 2))
        #expect(reports("report +1 -0") == 2, "the new session has heard of no other token")
    }

    @Test func aSessionThatIsUnknownIsReportedOnce() async throws {
        let session = try await bench.session()
        bench.service.restart(forgetting: true)
        await desk.set(isNeeded: true, in: session, hasStream: true)
        await desk.hear(token)
        #expect(await bench.says("lost"))
        await aWhile()
        #expect(reports("report +1 -0") == 1)
    }
}
