import EarshotDiscovery
import Foundation
import Synchronization

/// The engine of a manager. It handles one event after another: the event changes the table of operations, and then
/// every link gets its present task.
///
///     app, user, foreground ─┐
///     room ──────────────────┼─▶ table ─▶ reconcile ─▶ session, leases, sightings, events        service
///     service ───────────────┤             │     └───▶ room, beacons, agent                      devices
///     agent, beacons, alarm ─┘             └─▶ statuses, messages, problems                      app
///
/// A link has its own Swift tasks and retries. It may get the same task again; it begins and ends only the differences.
actor Exchange {
    /// An event from outside.
    enum Input: Sendable {
        case add(OperationHandle)
        case room(DiscoveryMediumKind, DiscoveryEvent)
        case table(OperationTable.Event)
    }

    /// The links to the outside.
    private struct Links {
        let sessions: SessionLink
        let leases: LeaseDesk
        let sightings: SightingDesk
        var events: EventDesk
        let room: RoomLink
        let beacons: BeaconDesk
        var agent: AgentDesk
        var permission: PermissionDesk
        let alarm: Alarm
    }

    private let configuration: MessageManager.Configuration
    private let board: ProblemBoard
    private let note: @Sendable (String) -> Void
    nonisolated let input: AsyncStream<Input>.Continuation
    private let inputs: AsyncStream<Input>
    private let timeline: Timeline
    private var handles: [Int: OperationHandle] = [:]
    private var table: OperationTable
    private var links: Links
    /// Follows the foreground from the first operation on, if operations stop with it.
    private var following: Task<Void, Never>?

    init(
        _ configuration: MessageManager.Configuration, key: String, service: any MessageService, board: ProblemBoard,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.configuration = configuration
        self.board = board
        self.note = note
        let (inputs, input) = AsyncStream.makeStream(of: Input.self)
        (self.inputs, self.input) = (inputs, input)
        let timeline = configuration.internals.timeline()
        self.timeline = timeline
        let (pace, foreground) = (configuration.internals.pace, configuration.foreground ?? .shared)
        let access = ServiceAccess(
            service: service, board: board, backOff: configuration.backOff, pace: pace, timeline: timeline, note: note,
            tell: { input.yield(.table(.service($0))) })
        let room = RoomLink(pace, media: configuration.media) { input.yield(.room($0, $1)) }
        let radio = OnceMade { configuration.beacons?() }
        links = Links(
            sessions: SessionLink(access), leases: LeaseDesk(access),
            sightings: SightingDesk(access, age: { room.age(of: $0) }),
            events: EventDesk(access), room: room,
            beacons: BeaconDesk(
                access, source: { radio.value }, tell: { input.yield(.table(.beacons($0))) }),
            agent: AgentDesk(foreground, timeline) {
                configuration.agent.map { agent in
                    AgentClient(
                        agent, app: configuration.applicationIdentifier, isForeground: { foreground.isActive },
                        note: note
                    ) { input.yield(.table(.agent($0))) }
                }
            },
            permission: PermissionDesk(
                configuration.permission, application: configuration.applicationIdentifier
            ) { input.yield(.table(.permission($0))) }, alarm: Alarm(timeline) { input.yield(.table(.time)) })
        let rules = OperationTable.Rules(
            application: configuration.applicationIdentifier, key: key,
            serviceURL: configuration.serviceURL.absoluteString,
            hasAgent: configuration.agent != nil && configuration.serviceRefusal == nil,
            isAgent: configuration.internals.isAgent,
            doubt: pace.doubt, outage: pace.outage, media: { room.open() }, hasRadio: { radio.value != nil })
        table = OperationTable(rules, isForeground: configuration.foreground?.isActive ?? true)
    }

    /// Handles the input until it is finished. Then it ends all operations, the session at the service, and the media.
    func run() async {
        for await input in inputs {
            await take(input)
            await reconcile()
        }
        await end()
    }

    private func take(_ input: Input) async {
        switch input {
        case .add(let handle): add(handle)
        case .room(let kind, .found(let neighbour)): await take(.heard(neighbour.token, kind))
        case .room(let kind, .lost(let neighbour)): await take(.gone(neighbour.token, kind))
        case .room(_, .problem(let problem, let kind, let detail)):
            board.begin(ManagerProblem(.medium(problem, kind), detail: detail), for: .room)
        case .room(_, .solved(let problem, let kind)): board.end(.medium(problem, kind), for: .room)
        case .room(_, .updated), .room(_, .opened): break
        case .table(let event): await take(event)
        }
    }

    private func add(_ handle: OperationHandle) {
        guard !handle.isOver else { return }
        followForeground()
        if let refusal = links.permission.ask(for: handle) {
            note("operation \(handle.number): refused")
            return configuration.internals.warn(refusal)
        }
        handles[handle.number] = handle
        _ = table.take(.add(handle.number, handle.operation), now: timeline.now)
        note("operation \(handle.number): asking for permission")
    }

    /// Begins before the first operation, if operations stop with the foreground.
    private func followForeground() {
        guard let foreground = configuration.foreground, following == nil else { return }
        following = Task { [input] in
            for await isActive in foreground.changes { input.yield(.table(.foreground(isActive))) }
        }
    }

    private func take(_ event: OperationTable.Event) async {
        switch event {
        case .end(let number): links.permission.forget(number)
        case .service(let news):
            if let session = news.provenSession { await links.sessions.worked(in: session) }
        case .agent(.connected): links.agent.reconnected()
        case .agent(.events(let events)): links.agent.acknowledge(events)
        case .add, .permission, .foreground, .heard, .gone, .beacons, .agent, .time: break
        }
        for effect in table.take(event, now: timeline.now) { await perform(effect) }
        if case .end(let number) = event { handles[number] = nil }
    }

    private func perform(_ effect: OperationTable.Effect) async {
        switch effect {
        case .tell(let number, let event, let isKept): handles[number]?.events.add(event, isKept: isKept)
        case .begin(let problem, let source): board.begin(problem, for: source)
        case .setProblems(let problems, let source): board.set(problems, for: source)
        case .heard(let token): await links.sightings.hear(token)
        case .gone(let token): await links.sightings.lose(token)
        case .published: await links.sightings.repeatAll()
        case .lost(let session): await links.sessions.lost(session)
        case .release(let identifier): links.agent.release(identifier)
        case .end(let number): handles[number]?.end()
        case .note(let line): note(line)
        case .warn(let line): configuration.internals.warn(line)
        }
    }

    /// Passes every link and every holder of an operation the present state.
    private func reconcile() async {
        let (now, session) = (timeline.now, table.service.session)
        let (orders, needs) = (table.orders, table.beaconNeeds)
        await links.sessions.set(isNeeded: !orders.isEmpty || !needs.isEmpty)
        await links.leases.set(orders, in: session)
        await links.sightings.set(isNeeded: !orders.isEmpty, in: session, hasStream: table.service.hasStream)
        links.events.set(isNeeded: table.needsEvents, in: session)
        links.room.set(table.wishes(now: now))
        await links.beacons.set(needs, in: session)
        links.agent.set(table.keptOrders) { table.agentOrder($0) }
        links.alarm.set(table.nextDate(now: now))
        for (number, handle) in handles {
            let status = table.status(of: number, now: now)
            if status != handle.status { note("operation \(number): \(status)") }
            handle.set(status)
        }
    }

    private func end() async {
        following?.cancel()
        links.permission.close()
        for handle in handles.values {
            handle.end()
            await take(.end(handle.number))
        }
        links.alarm.set(nil)
        await links.leases.close()
        await links.agent.close()
        links.room.set([])
        links.events.set(isNeeded: false, in: nil)
        await links.sightings.set(isNeeded: false, in: nil, hasStream: false)
        async let closed: Void = links.room.close()
        await links.sessions.end()
        await closed
        await links.beacons.close()
        board.finish()
    }
}

/// A value that is created when it is first read.
private final class OnceMade<Value: Sendable>: Sendable {
    private let made = Mutex<Value?>(nil)
    private let make: @Sendable () -> Value

    init(_ make: @escaping @Sendable () -> Value) { self.make = make }

    var value: Value {
        made.withLock { made in
            let value = made ?? make()
            made = value
            return value
        }
    }
}
