import EarshotBasics
import MessagesTestSupport
import Synchronization

@testable import EarshotMessages

private final class NewsList: Sendable {
    private let news = Mutex<[ServiceNews]>([])

    var all: [ServiceNews] { news.withLock { $0 } }

    func add(_ item: ServiceNews) { news.withLock { $0.append(item) } }
}

/// The surroundings of one link to the service: a service in memory, and a reader of the link's news.
final class LinkBench: Sendable {
    let service = FakeService()
    let board = ProblemBoard { _ in }
    let access: ServiceAccess
    private let news: NewsList

    init(_ timeline: Timeline = Timeline()) {
        let list = NewsList()
        news = list
        var pace = MessageManager.Pace()
        pace.reportDelay = .milliseconds(10)
        access = ServiceAccess(
            service: service.client(key: "key"), board: board,
            backOff: BackOff.Bounds(shortest: .milliseconds(20), longest: .milliseconds(50)), pace: pace,
            timeline: timeline, note: { _ in }, tell: { list.add($0) })
    }

    /// All news, in order, as words.
    var words: [String] {
        news.all.map { item in
            switch item {
            case .opened: "opened"
            case .unopened: "unopened"
            case .lost: "lost"
            case .registered(let number, _, _): "registered \(number)"
            case .unregistered(let number, let isGone, _): "unregistered \(number)\(isGone ? ", gone" : "")"
            case .refused(let number, _): "refused \(number)"
            case .reported: "reported"
            case .lookedUp: "looked up"
            case .event(.ready(let isResumed), _): isResumed ? "resumed" : "ready"
            case .event(.found(_, let message, _, _), _): "found \(message.text)"
            case .event(.lost, _): "lost a message"
            case .event(.end, _), .event(.quiet, _): "quiet"
            case .streamEnded: "stream ended"
            }
        }
    }

    var leases: [Lease] {
        news.all.compactMap { if case .registered(_, let lease, _) = $0 { lease } else { nil } }
    }

    var sessions: [ServiceSession] {
        news.all.compactMap { if case .opened(let session) = $0 { session } else { nil } }
    }

    /// Waits for news.
    func says(_ word: String, times count: Int = 1) async -> Bool {
        await eventually { self.words.count { $0 == word } >= count }
    }

    /// A session of the service.
    func session() async throws -> ServiceSession { try await access.service.openSession() }

    /// The kinds of the problems that a reader of the board sees now.
    func problems() async -> [ManagerProblem.Kind] {
        let stream = board.stream
        let reading = Task { await stream.reduce(into: []) { $0.append($1.kind) } }
        await aWhile()
        reading.cancel()
        return await reading.value
    }
}
