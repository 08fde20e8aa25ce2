import EarshotDiscovery
import MessagesTestSupport
import NearbyWire
import Synchronization
import TestSupport
import Testing

@testable import EarshotMessages

@Suite(.apart) struct BeaconDeskTests {
    private let bench = LinkBench()
    private let air = BeaconAir()
    private let desk: BeaconDesk
    private let heard: Heard
    private let need = BeaconDesk.Need(scan: BeaconScan(), filter: AttachmentFilter())

    /// The reports of the desk.
    private final class Heard: Sendable {
        let present = Mutex<[Int: [String]]>([:])
        let opened = Counter()

        func take(_ news: BeaconDesk.News) {
            switch news {
            case .opened: opened.add()
            case .present(let number, let attachments):
                present.withLock { $0[number] = attachments.map(\.message.text).sorted() }
            }
        }

        func near(_ number: Int) -> [String] { present.withLock { $0[number] ?? [] } }
    }

    init() {
        let (air, heard) = (air, Heard())
        self.heard = heard
        desk = BeaconDesk(bench.access, source: { air }, tell: { heard.take($0) })
    }

    @Test func itSaysWhatIsAttachedToTheBeaconsThatAreNear() async throws {
        bench.service.attach(Message("a museum"), to: .numbered(1))
        await desk.set([7: need], in: try await bench.session())
        #expect(await eventually { heard.opened.count == 1 })
        air.add(.numbered(1))
        #expect(await eventually { heard.near(7) == ["a museum"] })
        air.remove(.numbered(1))
        #expect(await eventually { heard.near(7).isEmpty })
        await desk.close()
        #expect(air.openCount == 0)
    }

    @Test func withoutASessionNothingIsAskedButTheRadioRuns() async throws {
        bench.service.attach(Message("a museum"), to: .numbered(1))
        air.add(.numbered(1))
        await desk.set([7: need], in: nil)
        #expect(await eventually { air.openCount == 1 })
        await aWhile()
        #expect(bench.service.lookedUp.isEmpty)
        await desk.set([7: need], in: try await bench.session())
        #expect(await eventually { heard.near(7) == ["a museum"] })
        await desk.set([7: need, 8: need], in: nil)
        #expect(heard.near(8) == ["a museum"], "what is known needs no question")
        await desk.close()
    }

    @Test func failedQuestionsAreRepeated() async throws {
        bench.service.attach(Message("a museum"), to: .numbered(1))
        let session = try await bench.session()
        bench.service.set(.down)
        air.add(.numbered(1))
        await desk.set([7: need], in: session)
        #expect(await eventually { bench.service.requests.count { $0 == "look up 1" } >= 2 })
        bench.service.set(.well)
        #expect(await eventually { heard.near(7) == ["a museum"] })
        await desk.close()
    }
}
