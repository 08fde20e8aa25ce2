import EarshotCoding
import EarshotDiscovery
import NearbyWire

/// The operations of a manager: the state of each, and the tasks of the links. It has no Swift tasks and no clock.
///
///     event ─▶ take ─▶ effects        once: messages for the app, problems, lines of the log
///               │
///             entries ─▶ needs        always: what each link should do now                (+Needs)
struct OperationTable: Sendable {
    /// The settings that do not change while the manager lives.
    struct Rules: Sendable {
        var application = ""
        var key = ""
        var serviceURL = ""
        /// Whether there is an agent to run operations.
        var hasAgent = false
        /// Whether this process is the agent.
        var isAgent = false
        /// How long a message may take to reappear before it is lost.
        var doubt = Duration.seconds(40)
        /// After this long without a sign of life, the service may have marked near devices as lost.
        var outage = Duration.seconds(14)
        /// The kinds of the media. Called when an operation first needs one.
        var media: @Sendable () -> Set<DiscoveryMediumKind> = { [] }
        /// Whether there is a radio for beacons. Called when a subscription first needs it.
        var hasRadio: @Sendable () -> Bool = { false }
    }

    enum Event: Sendable {
        case add(Int, Operation)
        case end(Int)
        case permission(PermissionDesk.News)
        case foreground(Bool)
        case heard(Payload, DiscoveryMediumKind)
        case gone(Payload, DiscoveryMediumKind)
        case service(ServiceNews)
        case beacons(BeaconDesk.News)
        case agent(AgentNews)
        /// `nextDate` has come.
        case time
    }

    /// The effects of an event, which happen once.
    enum Effect: Sendable {
        /// `isKept`: deliver the event even if the message was lost before its `found` was read.
        case tell(Int, MessageEvent, isKept: Bool = false)
        /// The source has this problem too.
        case begin(ManagerProblem, ProblemBoard.Source)
        /// The source has exactly these problems.
        case setProblems([ManagerProblem], ProblemBoard.Source)
        /// A token came near, on the first medium, or is gone from the last.
        case heard(Payload)
        case gone(Payload)
        /// The service has another publication of this device.
        case published
        case lost(ServiceSession)
        case release(String)
        case end(Int)
        case note(String)
        case warn(String)
    }

    /// The known state of the service.
    struct Service: Sendable {
        var session: ServiceSession?
        var hasStream = false
        var lastSignOfLife: Duration?
        /// Events of unknown subscriptions, which may come before the answer that names the subscription.
        var strayEvents: [ServiceEvent] = []
    }

    let rules: Rules
    var entries: [Int: Entry] = [:]
    var service = Service()
    /// The payloads that are near, with the media that hear them.
    var near: [Payload: Set<DiscoveryMediumKind>] = [:]
    /// The scans whose radio works.
    var openScans: Set<BeaconScan> = []
    /// The reason why the agent is away, as a sentence; nil if it is connected, or not known yet.
    var agentAbsence: String?
    private var isForeground: Bool
    private var hasWarned = false
    private var runCount = 0
    var effects: [Effect] = []

    init(_ rules: Rules, isForeground: Bool = true) {
        self.rules = rules
        self.isForeground = isForeground
    }

    /// Changes the state.
    /// - Returns: the effects, to carry out once. The lasting tasks follow from the state.
    mutating func take(_ event: Event, now: Duration) -> [Effect] {
        switch event {
        case .add(let number, let operation): entries[number] = Entry(operation: operation)
        case .end(let number): end(number)
        case .permission(.answered(let number, let state)):
            decide(number, entries[number]?.decision(state) ?? state, now)
        case .permission(.changed(let state, let need)):
            for (number, entry) in entries where entry.operation.locationNeed == need {
                if case .asking = entry.state {
                    entries[number]?.changed = state
                } else {
                    decide(number, state, now)
                }
            }
        case .foreground(let isActive): follow(isActive, now)
        case .heard(let payload, let kind): hear(payload, on: kind)
        case .gone(let payload, let kind): lose(payload, on: kind, now)
        case .service(let news): take(news, now)
        case .beacons(.opened(let scan)): openScans.insert(scan)
        case .beacons(.present(let run, let attachments)):
            if let number = number(ofRun: run) { setBeaconMessages(of: number, to: attachments) }
        case .agent(let news): take(news, now)
        case .time: expire(now)
        }
        openScans.formIntersection(beaconNeeds.values.map(\.scan))
        if !needsEvents { service.hasStream = false }
        defer { effects = [] }
        return effects
    }

    func number(ofRun run: Int) -> Int? { entries.first { $0.value.run?.number == run }?.key }

    // MARK: Permission and foreground

    private mutating func decide(_ number: Int, _ permission: PermissionState, _ now: Duration) {
        guard let entry = entries[number], entry.permission != permission else { return }
        note(number, "permission \(permission.rawValue)")
        if permission == .granted {
            start(number, now)
        } else {
            halt(number, .forbidden(permission))
        }
    }

    private mutating func follow(_ isActive: Bool, _ now: Duration) {
        guard isActive != isForeground else { return }
        isForeground = isActive
        effects.append(.note(isActive ? "the app is in the foreground" : "the app is in the background"))
        for (number, entry) in entries where entry.permission == .granted && !entry.operation.isAllowedInBackground {
            if !isActive { halt(number, .waiting) } else if case .waiting = entry.state { start(number, now) }
        }
    }

    // MARK: Start and stop

    private mutating func start(_ number: Int, _ now: Duration) {
        guard let operation = entries[number]?.operation else { return }
        guard isForeground || operation.isAllowedInBackground else {
            entries[number]?.state = .waiting
            note(number, "waits for the app to come to the foreground")
            // A program without a terminal is in the background from its start, and its user sees no effect.
            if !hasWarned {
                effects.append(
                    .warn(
                        "\(rules.application) is in the background, where only operations run that are allowed there. "
                            + "Start it in the foreground of a terminal, or allow them."))
            }
            hasWarned = true
            return
        }
        guard let agentRun = agentRun(for: operation) else { return startHere(number, now) }
        entries[number]?.state = .inAgent(agentRun)
        limitTime(of: number, now)
        note(number, "asking earshot-agent to keep it")
        if let agentAbsence { runHere(number, because: agentAbsence, now) }
    }

    private mutating func limitTime(of number: Int, _ now: Duration) {
        guard let entry = entries[number], entry.endsAt == nil, let limit = entry.operation.strategy.timeToLive else {
            return
        }
        entries[number]?.endsAt = now + limit
    }

    /// Runs an operation in this process, even if the agent should run it.
    mutating func startHere(_ number: Int, _ now: Duration) {
        guard let entry = entries[number] else { return }
        var problems: [ManagerProblem] = []
        // A subscription to beacons only opens no medium.
        let kinds = entry.operation.usefulMode.isEmpty ? [] : choose(for: entry.operation, &problems)
        let scan = chooseScan(for: entry.operation, &problems)
        effects.append(.setProblems(problems, .operation(number)))
        let isNearby = !kinds.isEmpty && !entry.operation.strategy.mode.isEmpty
        guard isNearby || scan != nil else {
            note(number, "no medium is available to run on")
            if entry.agentRun == nil { entries[number]?.state = .unable }
            return
        }
        runCount += 1
        let run = Run(
            number: runCount, kinds: kinds, scan: scan,
            registration: entry.operation.order != nil && isNearby ? .pending : .unneeded)
        entries[number]?.state = entry.agentRun.map { .handingOver(run, $0) } ?? .here(run)
        limitTime(of: number, now)
        for payload in near.keys { give(payload, to: number) }
    }

    /// The media that an operation runs on. If the strategy names a medium that does not exist here, that is a problem.
    private func choose(
        for operation: Operation, _ problems: inout [ManagerProblem]
    ) -> Set<DiscoveryMediumKind> {
        let (kinds, strategy) = (rules.media(), operation.strategy)
        for kind in (strategy.media ?? []).subtracting(kinds) {
            problems.append(
                ManagerProblem(.unsupportedMedium(kind), detail: "The medium \"\(kind.name)\" does not exist here."))
        }
        let wanted = kinds.filter { strategy.media?.contains($0) ?? true }
        for kind in wanted where !strategy.uses(kind) {
            problems.append(
                ManagerProblem(
                    .noBackground(kind), detail: "The medium \"\(kind.name)\" does not run in the background."))
        }
        return wanted.filter { strategy.uses($0) }
    }

    /// The scan that an operation needs.
    /// - Returns: nil if it needs none, or, with a problem, if this program cannot hear beacons.
    private func chooseScan(for operation: Operation, _ problems: inout [ManagerProblem]) -> BeaconScan? {
        guard let beacons = operation.beacons else { return nil }
        guard rules.hasRadio() else {
            problems.append(
                ManagerProblem(.unsupportedMedium(.bluetooth), detail: "This program has no radio for beacons."))
            return nil
        }
        if beacons.isAllowedInBackground, !rules.isAgent, !rules.hasAgent {
            problems.append(
                ManagerProblem(
                    .noBackground(.bluetooth), detail: "Beacons are looked for only while the program itself runs."))
        }
        return beacons.scan
    }

    /// Stops an operation here and in the agent, and loses all its found messages.
    private mutating func halt(_ number: Int, _ state: State) {
        entries[number]?.endsAt = nil
        effects.append(.setProblems([], .agent(number)))
        tell(number, entries[number]?.found.loseAll() ?? [])
        stopHere(number, state)
    }

    /// Stops an operation in this process. The messages of devices stay found.
    mutating func stopHere(_ number: Int, _ state: State) {
        setBeaconMessages(of: number, to: [])
        entries[number]?.state = state
        effects.append(.setProblems([], .operation(number)))
    }

    private mutating func end(_ number: Int) {
        guard let entry = entries[number] else { return }
        note(number, "ended")
        if let agentRun = entry.agentRun { effects.append(.release(agentRun.order.id)) }
        halt(number, .waiting)
        entries[number] = nil
    }

    /// Ends doubts and times to live that are over.
    private mutating func expire(_ now: Duration) {
        for number in entries.keys {
            tell(number, entries[number]?.found.expire(now: now) ?? [])
            guard let end = entries[number]?.endsAt, end <= now else { continue }
            entries[number]?.endsAt = nil
            effects.append(.end(number))
        }
    }

    // MARK: Effects

    mutating func tell(_ number: Int, _ events: [MessageEvent], isKept: Bool = false) {
        effects += events.map { .tell(number, $0, isKept: isKept) }
    }

    mutating func note(_ number: Int, _ line: String) { effects.append(.note("operation \(number): \(line)")) }
}
