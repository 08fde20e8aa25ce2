import EarshotCoding
import EarshotDiscovery
import MessagesTestSupport
import NearbyWire
import TestSupport
import Testing

@testable import EarshotMessages

/// The state of an operation after each event, and the resulting orders for the links.
struct OperationTableTests {
    private static let session = ServiceSession(secret: "one")
    private let background: DiscoveryStrategy

    init() {
        var strategy = DiscoveryStrategy()
        (strategy.isAllowedInBackground, strategy.media) = (true, [.bluetooth])
        background = strategy
    }

    private func table(
        hasAgent: Bool = false, isForeground: Bool = true, media: Set<DiscoveryMediumKind> = [.audio, .bluetooth]
    ) -> OperationTable {
        var rules = OperationTable.Rules()
        (rules.hasAgent, rules.key, rules.serviceURL) = (hasAgent, "key", "http://nowhere.invalid")
        rules.media = { media }
        return OperationTable(rules, isForeground: isForeground)
    }

    private func subscription(_ strategy: DiscoveryStrategy = DiscoveryStrategy()) -> Operation {
        Operation(.subscription(namespace: "", type: "t"), strategy)
    }

    private func lease(_ id: String, _ kind: RegistrationName.Kind = .subscription) throws -> Lease {
        let registration = Registration(
            name: RegistrationName(kind, id), expiresIn: .seconds(300),
            token: try Payload([UInt8](repeating: 1, count: 8)), tokenExpiresIn: .seconds(300), rotateIn: .seconds(150))
        return Lease(registration, playsToken: true, now: .zero)
    }

    private func found(_ text: String, _ subscription: String) -> OperationTable.Event {
        let event = ServiceEvent.found(
            subscription: subscription, message: Message(text, type: "t"), id: "id-\(text)", eventID: nil)
        return .service(.event(event, Self.session))
    }

    private func told(_ effects: [OperationTable.Effect]) -> [String] {
        effects.compactMap {
            switch $0 {
            case .tell(_, .found(let message), _): "+\(message.message.text)"
            case .tell(_, .lost(let message), _): "-\(message.message.text)"
            default: nil
            }
        }
    }

    /// A subscription that runs and is registered as "s".
    private func running(_ table: OperationTable? = nil) throws -> (table: OperationTable, run: Int) {
        var table = table ?? self.table()
        _ = table.take(.add(1, subscription()), now: .zero)
        _ = table.take(.permission(.answered(1, .granted)), now: .zero)
        _ = table.take(.service(.opened(Self.session)), now: .zero)
        let run = try #require(table.orders.keys.first)
        _ = table.take(.service(.registered(run, try lease("s"), Self.session)), now: .zero)
        return (table, run)
    }

    @Test func withoutPermissionNothingIsNeeded() {
        var table = table(hasAgent: true)
        for (number, strategy) in [(1, DiscoveryStrategy()), (2, background)] {
            _ = table.take(.add(number, subscription(strategy)), now: .zero)
            for state in [PermissionState.undecided, .denied] {
                _ = table.take(.permission(.answered(number, state)), now: .zero)
            }
        }
        #expect(table.orders.isEmpty && table.wishes(now: .zero).isEmpty && table.keptOrders.isEmpty)
        #expect(table.status(of: 1, now: .zero) == .inactive)
    }

    /// The user decides elsewhere while the question is open, and the answer arrives after that.
    @Test(arguments: [
        (PermissionState.granted, PermissionState.undecided, true), (.granted, .denied, false),
        (.denied, .granted, false),
        (.undecided, .granted, false),
    ])
    func aDecisionWhileItAsksHolds(change: PermissionState, answer: PermissionState, runs: Bool) {
        var table = table()
        _ = table.take(.add(1, subscription()), now: .zero)
        _ = table.take(.permission(.changed(change, .none)), now: .zero)
        #expect(table.orders.isEmpty, "the question is open")
        _ = table.take(.permission(.answered(1, answer)), now: .zero)
        #expect(table.orders.isEmpty != runs)
    }

    @Test func theStatusFollowsTheLease() throws {
        var (table, run) = try running()
        #expect(table.status(of: 1, now: .zero) == .active && table.status(of: 1, now: .seconds(300)) == .starting)
        let event = OperationTable.Event.service(.unregistered(run, isGone: true, Self.session))
        _ = table.take(event, now: .zero)
        #expect(table.status(of: 1, now: .zero) == .starting)
        _ = table.take(.service(.refused(run, .invalid("no"))), now: .zero)
        #expect(table.status(of: 1, now: .zero) == .inactive && table.orders.isEmpty)
    }

    /// The service ends a subscription that was not renewed in time, as after a sleep of the
    /// machine. It reports nothing for it any more.
    @Test func messagesOfASubscriptionThatHasEndedAreInDoubt() throws {
        var (table, run) = try running()
        for text in ["stays", "went"] { #expect(told(table.take(found(text, "s"), now: .zero)) == ["+\(text)"]) }
        _ = table.take(.service(.unregistered(run, isGone: true, Self.session)), now: .seconds(1))
        _ = table.take(.service(.registered(run, try lease("other"), Self.session)), now: .seconds(2))
        #expect(told(table.take(found("stays", "other"), now: .seconds(3))) == [])
        #expect(table.nextDate(now: .seconds(3)) == .seconds(41))
        #expect(told(table.take(.time, now: .seconds(41))) == ["-went"])
    }

    @Test func anotherPublicationIsSaidOnce() throws {
        var table = table()
        _ = table.take(.add(1, Operation(.message(Message("hello")), DiscoveryStrategy())), now: .zero)
        _ = table.take(.permission(.answered(1, .granted)), now: .zero)
        _ = table.take(.service(.opened(Self.session)), now: .zero)
        let run = try #require(table.orders.keys.first)
        func isSaid(_ id: String) throws -> Bool {
            let lease = try lease(id, .publication)
            return table.take(.service(.registered(run, lease, Self.session)), now: .zero).contains {
                if case .published = $0 { true } else { false }
            }
        }
        #expect(try isSaid("p"))
        #expect(try !isSaid("p"), "a renewal")
        #expect(try isSaid("q"))
    }

    @Test func aRunThatIsOverChangesNothing() throws {
        var (table, run) = try running()
        _ = table.take(.foreground(false), now: .zero)
        #expect(table.orders.isEmpty)
        _ = table.take(.foreground(true), now: .zero)
        _ = table.take(.service(.registered(run, try lease("old"), Self.session)), now: .zero)
        #expect(table.status(of: 1, now: .zero) == .starting && table.orders.keys.first != run)
    }

    @Test func eventsBeforeTheAnswerAreToldAfterIt() throws {
        var (table, _) = try running()
        _ = table.take(.add(2, subscription()), now: .zero)
        _ = table.take(.permission(.answered(2, .granted)), now: .zero)
        #expect(told(table.take(found("early", "late"), now: .zero)).isEmpty)
        let run = try #require(table.orders.keys.max())
        #expect(told(table.take(.service(.registered(run, try lease("late"), Self.session)), now: .zero)) == ["+early"])
    }

    @Test func withoutASubscriptionThereIsNoStream() throws {
        var (table, _) = try running()
        _ = table.take(.service(.event(.ready(isResumed: false), Self.session)), now: .zero)
        #expect(table.needsEvents && table.service.hasStream)
        _ = table.take(.end(1), now: .zero)
        #expect(!table.needsEvents && !table.service.hasStream, "reports are the signs of life from now on")
    }

    @Test func newsOfAnotherSessionAreIgnored() throws {
        var (table, _) = try running()
        _ = table.take(.service(.lost(Self.session)), now: .zero)
        #expect(table.service.session == nil)
        #expect(told(table.take(found("stale", "s"), now: .zero)).isEmpty)
        _ = table.take(.service(.opened(ServiceSession(secret: "two"))), now: .zero)
        _ = table.take(.service(.lost(Self.session)), now: .zero)
        #expect(table.service.session == ServiceSession(secret: "two"))
    }

    @Test func aTimeToLiveEndsAnOperation() {
        var (table, strategy) = (table(), DiscoveryStrategy())
        strategy.timeToLive = .seconds(10)
        _ = table.take(.add(1, subscription(strategy)), now: .seconds(1))
        _ = table.take(.permission(.answered(1, .granted)), now: .seconds(5))
        #expect(table.nextDate(now: .zero) == .seconds(15))
        let effects = table.take(.time, now: .seconds(15))
        #expect(effects.contains { if case .end(1) = $0 { true } else { false } } && table.nextDate(now: .zero) == nil)
    }

    @Test func theRoomHearsOfTheNextTokenInItsMoment() throws {
        var (table, run) = try running()
        let registration = Registration(
            name: RegistrationName(.subscription, "s"), expiresIn: .seconds(300),
            token: try Payload([UInt8](repeating: 2, count: 8)), tokenExpiresIn: .seconds(300), rotateIn: .seconds(150))
        let next = Lease(
            registration, playsToken: true, now: .seconds(150), after: try lease("s"), worldTime: .seconds(40))
        _ = table.take(.service(.registered(run, next, Self.session)), now: .seconds(150))
        #expect(table.nextDate(now: .seconds(150)) == .seconds(170))
        #expect(table.wishes(now: .seconds(169)).map(\.token?.bytes.first) == [1])
        _ = table.take(.time, now: .seconds(170))
        #expect(
            table.nextDate(now: .seconds(170)) == nil
                && table.wishes(now: .seconds(170)).map(\.token?.bytes.first) == [2])
    }

    @Test func theAgentTakesOverAndGivesBackWithoutALoss() throws {
        var table = table(hasAgent: true)
        _ = table.take(.add(1, subscription(background)), now: .zero)
        _ = table.take(.permission(.answered(1, .granted)), now: .zero)
        let id = try #require(table.keptOrders.first)
        #expect(table.orders.isEmpty && table.status(of: 1, now: .zero) == .starting)
        _ = table.take(.agent(.held(id)), now: .zero)
        _ = table.take(.agent(.state(AgentFrame.State(id: id, status: .active, problems: []))), now: .zero)
        #expect(table.status(of: 1, now: .zero) == .active)
        let received = ReceivedMessage(message: Message("m", type: "t"), isAuthenticated: true, id: "a")
        let events = AgentFrame.Events(id: id, sequence: 1, events: [.found(AgentMessage(received))])
        #expect(told(table.take(.agent(.events(events)), now: .zero)) == ["+m"])
        // The agent dies: the operation runs here, and the message is in doubt.
        #expect(told(table.take(.agent(.away(sentence: "It died.")), now: .zero)).isEmpty)
        #expect(table.orders.count == 1 && table.keptOrders == [id] && table.nextDate(now: .zero) != nil)
        // The agent comes back.
        _ = table.take(.agent(.connected), now: .zero)
        _ = table.take(.agent(.held(id)), now: .zero)
        #expect(table.orders.count == 1, "it runs here until the agent says that it is active")
        _ = table.take(.agent(.state(AgentFrame.State(id: id, status: .active, problems: []))), now: .zero)
        #expect(table.orders.isEmpty)
        #expect(told(table.take(.agent(.events(events)), now: .zero)).isEmpty && table.nextDate(now: .zero) == nil)
    }

    @Test func anOperationThatBeginsWhileTheAgentIsAwayRunsHereAtOnce() {
        var table = table(hasAgent: true)
        _ = table.take(.agent(.away(sentence: "It is not installed.")), now: .zero)
        _ = table.take(.add(1, subscription(background)), now: .zero)
        let effects = table.take(.permission(.answered(1, .granted)), now: .zero)
        #expect(table.orders.count == 1 && table.keptOrders.count == 1)
        #expect(
            effects.contains {
                if case .begin(let problem, .agent(1)) = $0 { problem.detail == "It is not installed." } else { false }
            })
    }

    @Test func aMediumThatIsMissingIsAProblemUntilTheOperationEnds() {
        var (table, strategy) = (table(media: [.audio]), DiscoveryStrategy())
        strategy.media = [.bluetooth]
        _ = table.take(.add(1, subscription(strategy)), now: .zero)
        let effects = table.take(.permission(.answered(1, .granted)), now: .zero)
        func kept(_ effects: [OperationTable.Effect]) -> [ManagerProblem.Kind]? {
            effects.lazy.compactMap {
                if case .setProblems(let problems, .operation(1)) = $0 { problems.map(\.kind) } else { nil }
            }
            .first
        }
        #expect(kept(effects) == [.unsupportedMedium(.bluetooth)] && table.wishes(now: .zero).isEmpty)
        #expect(kept(table.take(.end(1), now: .zero)) == [])
    }
}
