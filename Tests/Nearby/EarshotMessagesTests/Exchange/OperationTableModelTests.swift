import EarshotBasics
import EarshotCoding
import EarshotDiscovery
import MessagesTestSupport
import NearbyWire
import TestSupport
import Testing

@testable import EarshotMessages

/// The messages that a subscription should show: those that its source has named, and for
/// a while those of the previous source.
private struct Model {
    var named: Set<String> = []
    var doubted: [String: Duration] = [:]
    var settlesAt = Duration.zero
    var shown: Set<String> { named.union(doubted.keys) }
    mutating func find(_ text: String) { (named, doubted[text]) = (named.union([text]), nil) }
    mutating func lose(_ text: String, _ now: Duration) {
        guard named.remove(text) != nil else { return }
        if now < settlesAt { doubted[text] = settlesAt }
    }
    mutating func doubt(until date: Duration) {
        for text in named { (named, doubted[text]) = (named.subtracting([text]), date) }
    }
    mutating func pass(_ now: Duration) { doubted = doubted.filter { $0.value > now } }
    mutating func stop() { (named, doubted) = ([], [:]) }
}

/// A user, a service, an agent and media that act at random times, around a table of operations without links.
private struct World {
    static let doubt = Duration.seconds(40)
    static let radio = DiscoveryMediumKind(name: "radio", worksInBackground: true)

    private enum Kind: CaseIterable { case device, background, direct, publication }

    /// An operation as the world sees it.
    private struct Actor {
        let kind: Kind
        var isKept = false
        /// The registration in the present session, and the run to which it belongs.
        var lease: (id: Int, run: Int)?
        /// The messages that its source has named, with the source's identifiers.
        var told: [String: String] = [:]
        var model = Model()

        /// Another source begins: the service in another session, or the agent.
        mutating func move(toAgent isKept: Bool) { (self.isKept, lease, told) = (isKept, nil, [:]) }
    }

    var chance: SeededGenerator
    private(set) var table: OperationTable
    private var now = Duration.zero
    private var actors: [Int: Actor] = [:]
    private var shown: [Int: Set<String>] = [:]
    private(set) var flaw: String?

    private var permission = PermissionState.granted
    private var isForeground = true
    /// The messages that other devices publish.
    private var near: Set<String> = []
    private var direct: [String: Set<DiscoveryMediumKind>] = [:]
    private var isServiceUp = true
    private var session = 0
    private var hasStream = false
    private var lastSign: Duration?
    private var isAgentThere = true
    private var count = 0
    private(set) var eventCount = 0

    init(seed: UInt64) {
        chance = SeededGenerator(seed: seed)
        var rules = OperationTable.Rules()
        rules.hasAgent = true
        (rules.key, rules.serviceURL, rules.doubt) = ("key", "http://nowhere.invalid", Self.doubt)
        rules.media = { [.audio, .bluetooth] }
        table = OperationTable(rules)
        take(.agent(.connected))
    }

    // MARK: The world's moves

    mutating func step() {
        now += .milliseconds(Int.random(in: 0...2_000, using: &chance))
        passTime()
        switch Int.random(in: 0..<20, using: &chance) {
        case 0: add()
        case 1: if let number = actors.keys.sorted().randomElement(using: &chance) { end(number) }
        case 2: decide(Bool.random(using: &chance) ? .granted : .denied)
        case 3: follow(Bool.random(using: &chance))
        case 4: isServiceUp ? breakService() : mendService()
        case 5: Bool.random(using: &chance) ? forget() : endRegistration()
        case 6: isAgentThere ? killAgent() : startAgent()
        case 7: skipTime(.seconds(Int.random(in: 0...60, using: &chance)))
        case 8...10: hearDirectly("d\(Int.random(in: 0..<3, using: &chance))")
        default: toggle("m\(Int.random(in: 0..<6, using: &chance))")
        }
        serve()
        compare()
    }

    private mutating func take(_ event: OperationTable.Event) {
        for effect in table.take(event, now: now) {
            guard case .tell(let number, let event, _) = effect else { continue }
            eventCount += 1
            switch event {
            case .found(let message):
                if shown[number, default: []].insert(message.message.text).inserted == false {
                    flaw = "\(number): \(message.message.text) is found twice"
                }
            case .lost(let message):
                if shown[number]?.remove(message.message.text) == nil {
                    flaw = "\(number): \(message.message.text) is lost twice"
                }
            }
        }
    }

    private mutating func passTime() {
        for number in actors.keys { actors[number]?.model.pass(now) }
        while let date = table.nextDate(now: now), date <= now { take(.time) }
    }

    private mutating func skipTime(_ pause: Duration) {
        now += pause
        passTime()
    }

    private mutating func add() {
        guard actors.count < 6, let kind = Kind.allCases.randomElement(using: &chance) else { return }
        count += 1
        var strategy = DiscoveryStrategy()
        if kind == .background { (strategy.isAllowedInBackground, strategy.media) = (true, [.bluetooth]) }
        let purpose: Operation.Purpose =
            switch kind {
            case .device, .background: .subscription(namespace: "", type: "t")
            case .direct: .directSubscription
            case .publication: .message(Message("own"))
            }
        actors[count] = Actor(kind: kind)
        take(.add(count, Operation(purpose, strategy)))
        take(.permission(.answered(count, permission)))
        if permission == .granted { begin(count) }
    }

    private mutating func end(_ number: Int) {
        take(.end(number))
        (actors[number], shown[number]) = (nil, nil)
    }

    private mutating func decide(_ state: PermissionState) {
        guard state != permission else { return }
        permission = state
        take(.permission(.changed(state, .none)))
        for number in actors.keys { state == .granted ? begin(number) : stop(number) }
    }

    private mutating func follow(_ isActive: Bool) {
        guard isActive != isForeground else { return }
        isForeground = isActive
        take(.foreground(isActive))
        for (number, actor) in actors where actor.kind != .background && permission == .granted {
            isActive ? begin(number) : stop(number)
        }
    }

    private mutating func begin(_ number: Int) {
        guard isForeground || actors[number]?.kind == .background else { return }
        if actors[number]?.kind == .background { actors[number]?.isKept = isAgentThere }
        if actors[number]?.kind == .direct { for text in direct.keys { actors[number]?.model.find(text) } }
    }

    private mutating func stop(_ number: Int) {
        actors[number]?.model.stop()
        actors[number]?.move(toAgent: false)
    }

    private func runsHere(_ actor: Actor) -> Bool {
        permission == .granted && (isForeground || actor.kind == .background) && !actor.isKept
    }

    private mutating func breakService() {
        isServiceUp = false
        if hasStream { take(.service(.streamEnded(ServiceSession(secret: "\(session)")))) }
        hasStream = false
        if Bool.random(using: &chance) { take(.service(.unopened)) }
    }

    private mutating func mendService() { isServiceUp = true }

    /// The service forgets everything, and the device notices.
    private mutating func forget() {
        guard isServiceUp, let lost = table.service.session else { return }
        take(.service(.lost(lost)))
        hasStream = false
        for (number, actor) in actors where runsHere(actor) && actor.kind != .direct {
            actors[number]?.model.doubt(until: now + Self.doubt)
        }
        for number in actors.keys where actors[number]?.isKept == false {
            actors[number]?.move(toAgent: false)
        }
    }

    /// The service ends a registration, and the device notices when it renews it.
    private mutating func endRegistration() {
        let registered = actors.keys.filter { actors[$0]?.lease != nil && actors[$0]?.isKept == false }
        guard isServiceUp, let session = table.service.session,
            let number = registered.sorted().randomElement(using: &chance), let run = actors[number]?.lease?.run
        else { return }
        take(.service(.unregistered(run, isGone: true, session)))
        actors[number]?.move(toAgent: false)
        actors[number]?.model.doubt(until: now + Self.doubt)
    }

    private mutating func killAgent() {
        isAgentThere = false
        take(.agent(.away(sentence: "It is away.")))
        for (number, actor) in actors where actor.isKept { hand(number, toAgent: false) }
    }

    private mutating func startAgent() {
        isAgentThere = true
        take(.agent(.connected))
        for (number, actor) in actors where actor.kind == .background && runsHere(actor) { hand(number, toAgent: true) }
    }

    private mutating func hand(_ number: Int, toAgent isKept: Bool) {
        actors[number]?.model.doubt(until: now + Self.doubt)
        actors[number]?.move(toAgent: isKept)
    }

    private mutating func hearDirectly(_ text: String) {
        guard let payload = try? Payload(Array(text.utf8)) else { return }
        let kind: DiscoveryMediumKind = Bool.random(using: &chance) ? .audio : .bluetooth
        if direct[text]?.contains(kind) == true {
            direct[text]?.remove(kind)
            if direct[text]?.isEmpty == true { direct[text] = nil }
            take(.gone(payload, kind))
        } else {
            direct[text, default: []].insert(kind)
            take(.heard(payload, kind))
        }
        for (number, actor) in actors where actor.kind == .direct && runsHere(actor) {
            direct[text] == nil ? actors[number]?.model.lose(text, now) : actors[number]?.model.find(text)
        }
    }

    private mutating func toggle(_ text: String) {
        if near.remove(text) == nil { near.insert(text) }
    }

    // MARK: Pending actions of service and agent

    private mutating func serve() {
        for (number, actor) in actors where actor.isKept { serveFromAgent(number) }
        guard isServiceUp, !table.orders.isEmpty else { return }
        if table.service.session == nil {
            session += 1
            take(.service(.opened(ServiceSession(secret: "\(session)"))))
        }
        let session = ServiceSession(secret: "\(session)")
        let isNew = !hasStream && actors.values.allSatisfy { $0.lease == nil }
        register(in: session)
        if !hasStream { openStream(in: session, isResumed: !isNew) }
        for number in actors.keys.sorted() {
            guard let actor = actors[number], let lease = actor.lease?.id, actor.kind != .publication else { continue }
            for text in near.subtracting(actor.told.keys).sorted() {
                let id = "\(self.session)-\(text)"
                sign()
                take(
                    .service(
                        .event(
                            .found(
                                subscription: "\(lease)", message: Message(text, type: "t"), id: id, eventID: nil),
                            session)))
                actors[number]?.told[text] = id
                actors[number]?.model.find(text)
            }
            for (text, id) in actor.told where !near.contains(text) {
                sign()
                take(.service(.event(.lost(subscription: "\(lease)", id: id, eventID: nil), session)))
                actors[number]?.told[text] = nil
                actors[number]?.model.lose(text, now)
            }
        }
    }

    private mutating func sign() { lastSign = now }

    private mutating func register(in session: ServiceSession) {
        for run in table.orders.keys.sorted() {
            guard let number = table.number(ofRun: run), let actor = actors[number] else { continue }
            if actor.lease?.run == run { continue }
            count += 1
            guard let token = try? Payload([UInt8](repeating: UInt8(run & 255), count: 8)) else { continue }
            let kind: RegistrationName.Kind = actor.kind == .publication ? .publication : .subscription
            let registration = Registration(
                name: RegistrationName(kind, "\(count)"), expiresIn: .seconds(86_400), token: token,
                tokenExpiresIn: .seconds(86_400), rotateIn: .seconds(86_400))
            take(.service(.registered(run, Lease(registration, playsToken: true, now: now), session)))
            actors[number]?.lease = (count, run)
        }
    }

    private mutating func openStream(in session: ServiceSession, isResumed: Bool) {
        hasStream = true
        let isOutage = lastSign.map { now - $0 > .seconds(14) } ?? false
        sign()
        take(.service(.event(.ready(isResumed: isResumed), session)))
        for (number, actor) in actors where runsHere(actor) && actor.kind != .direct {
            if !isResumed {
                actors[number]?.model.doubt(until: now + Self.doubt)
                actors[number]?.told = [:]
            }
            if isOutage { actors[number]?.model.settlesAt = now + Self.doubt }
        }
    }

    private mutating func serveFromAgent(_ number: Int) {
        guard let id = table.entries[number]?.agentRun?.order.id, let actor = actors[number] else {
            flaw = "\(number): the agent does not have it"
            return
        }
        if table.status(of: number, now: now) != .active || table.entries[number]?.run != nil {
            take(.agent(.held(id)))
            take(.agent(.state(AgentFrame.State(id: id, status: .active, problems: []))))
        }
        for text in near.subtracting(actor.told.keys).sorted() {
            let received = ReceivedMessage(
                message: Message(text, type: "t"), isAuthenticated: true, id: "agent-\(text)-\(count)")
            tell(.found(AgentMessage(received)), id)
            actors[number]?.told[text] = received.id
            actors[number]?.model.find(text)
        }
        for (text, message) in actor.told where !near.contains(text) {
            tell(.lost(message), id)
            actors[number]?.told[text] = nil
            actors[number]?.model.lose(text, now)
        }
    }

    private mutating func tell(_ event: AgentEvent, _ id: String) {
        take(.agent(.events(AgentFrame.Events(id: id, sequence: 1_000_000, events: [event]))))
    }

    // MARK: The judge

    private mutating func compare() {
        for (number, actor) in actors {
            let expected = actor.model.shown
            if shown[number, default: []] != expected {
                flaw =
                    "\(number), \(actor.kind): shows \(shown[number, default: []].sorted()), not \(expected.sorted())"
            }
            let runs = table.entries[number]?.run != nil
            if runs != runsHere(actor) { flaw = "\(number), \(actor.kind): runs here: \(runs)" }
        }
        if permission != .granted, !(table.orders.isEmpty && table.wishes(now: now).isEmpty && table.keptOrders.isEmpty)
        {
            flaw = "something runs without permission"
        }
    }
}

struct OperationTableModelTests {
    /// `EARSHOT_LONG_TESTS=1`: a million steps.
    @Test(arguments: 1...4) func whatIsShownIsWhatTheModelSays(seed: UInt64) {
        var world = World(seed: seed)
        for step in 0..<TestLength.count(5_000, long: 250_000) {
            world.step()
            if let flaw = world.flaw {
                Issue.record("seed \(seed), step \(step): \(flaw)")
                return
            }
        }
        #expect(world.eventCount > 1_000, "the world is too quiet")
    }
}
