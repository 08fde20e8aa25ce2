import EarshotCoding
import EarshotDiscovery

/// Where everything of a manager meets: its operations, the room they share, and the service.
///
///     operations ─ permission ─▶ workers ─▶ service        (+Registering: a lease for each operation, with a token)
///         │                                   ▲ │
///         └─▶ plan ─▶ room ─ heard, gone ─────┘ │          (+Hearing, +Reporting)
///                      events ◀── found, lost ──┘          (+Reading)
///
/// What happens outside comes in by `input`, in order. Nothing here waits for anything but the service.
actor Exchange {
    /// What happens outside.
    enum Input: Sendable {
        case add(OperationCore)
        case end(Int)
        case permission(PermissionState)
        case room(DiscoveryMediumKind, RoomEvent)
    }

    /// An operation, and how far it is.
    struct Entry {
        let operation: OperationCore
        /// nil while it is asked for.
        var permission: PermissionState?
        var asking: Task<Void, Never>?
        var isRunning = false
        /// The media there are that it may use.
        var kinds: Set<DiscoveryMediumKind> = []
        var worker: Task<Void, Never>?
        var timeLimit: Task<Void, Never>?
        var lease: Lease?
        /// Whether the service did not answer well the last time.
        var hasFailed = false
        /// Whether the service will never take it.
        var isRefused = false
        var found = FoundBook()
    }

    let configuration: MessageManager.Configuration
    let service: any MessageService
    let board: ProblemBoard
    let note: @Sendable (String) -> Void
    nonisolated let input: AsyncStream<Input>.Continuation
    private let inputs: AsyncStream<Input>
    private let begin = ContinuousClock.now

    var entries: [Int: Entry] = [:]
    private var watching: Task<Void, Never>?
    /// What the user has decided, as the gate said last.
    private var decision: PermissionState?
    private var isClosed = false

    // +Room
    var rooms: [DiscoveryMediumKind: RoomMedium]?
    var parts: [DiscoveryMediumKind: RoomPlan.Part] = [:]
    var near: [Payload: Set<DiscoveryMediumKind>] = [:]

    // +Session
    var session: ServiceSession?
    var opening: Task<ServiceSession?, Never>?
    var sessionBackOff: BackOff
    var sessionPause = Duration.zero

    // +Registering
    var withdrawals: [RegistrationName: Task<Void, Never>] = [:]

    // +Reporting
    var reporter: SightingReporter
    var reporting: Task<Void, Never>?
    var reportSleeper: Task<Void, Never>?

    // +Reading
    var reading: Task<Void, Never>?
    var lastEventID: String?
    var lastSignOfLife: Duration?
    var strayEvents: [ServiceEvent] = []
    var doubting: Task<Void, Never>?

    init(
        _ configuration: MessageManager.Configuration, service: any MessageService, board: ProblemBoard,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.configuration = configuration
        self.service = service
        self.board = board
        self.note = note
        sessionBackOff = BackOff(configuration.backOff)
        reporter = SightingReporter(
            delay: configuration.pace.reportDelay, renewal: configuration.pace.sightingRenewal)
        (inputs, input) = AsyncStream.makeStream(of: Input.self)
    }

    /// Since the manager began.
    var now: Duration { begin.duration(to: .now) }

    /// Takes what happens until it is closed.
    func run() async {
        for await input in inputs {
            guard !isClosed else { continue }
            switch input {
            case .add(let operation): add(operation)
            case .end(let number): remove(number)
            case .permission(let state): decide(state)
            case .room(let kind, let event): take(event, on: kind)
            }
        }
    }

    /// Ends everything, at the service, too.
    func close() async {
        guard !isClosed else { return }
        isClosed = true
        watching?.cancel()
        for (number, entry) in entries {
            entry.operation.end()
            halt(number, isWithdrawing: false)
            entry.asking?.cancel()
        }
        entries = [:]
        updateLoops()
        doubting?.cancel()
        for withdrawal in withdrawals.values { withdrawal.cancel() }
        let rooms = rooms
        async let closed: Void = {
            for room in (rooms ?? [:]).values { await room.close() }
        }()
        await endSession()
        await closed
        board.finish()
        input.finish()
    }

    // MARK: Operations

    private func add(_ operation: OperationCore) {
        guard !operation.isOver else { return }
        let number = operation.number
        var entry = Entry(operation: operation)
        watchPermission()
        let (permission, strategy) = (configuration.permission, operation.strategy)
        let purpose = ConsentPurpose(
            applicationIdentifier: configuration.applicationIdentifier, mode: strategy.mode, media: strategy.media)
        entry.asking = Task {
            let state = await permission.request(purpose, override: operation.consent)
            if !Task.isCancelled { decide(number, state) }
        }
        entries[number] = entry
        note("operation \(number): asking for permission")
    }

    /// Before the first is asked, so that nothing is missed.
    private func watchPermission() {
        guard watching == nil else { return }
        let (changes, input) = (configuration.permission.changes, input)
        watching = Task {
            for await state in changes { input.yield(.permission(state)) }
        }
    }

    /// The first is how it was before anybody was asked.
    private func decide(_ state: PermissionState) {
        let isChange = decision != nil && decision != state
        decision = state
        guard isChange else { return }
        for (number, entry) in entries where entry.permission != nil { decide(number, state) }
    }

    private func decide(_ number: Int, _ state: PermissionState) {
        guard !isClosed, let entry = entries[number], entry.permission != state else { return }
        entries[number]?.permission = state
        note("operation \(number): permission \(state.rawValue)")
        if state == .granted { start(number) } else if entry.isRunning { halt(number) }
    }

    private func start(_ number: Int) {
        guard let operation = entries[number]?.operation, !operation.isOver else { return }
        entries[number]?.kinds = choose(for: operation)
        guard entries[number]?.kinds.isEmpty == false, !operation.strategy.mode.isEmpty else {
            note("operation \(number): no medium is left to run on")
            return
        }
        entries[number]?.isRunning = true
        if let limit = operation.strategy.timeToLive {
            entries[number]?.timeLimit = Task {
                if (try? await Task.sleep(for: limit)) != nil { operation.end() }
            }
        }
        if operation.order != nil { restartWorker(number) }
        giveDirectMessages(to: number)
        updateLoops()
        plan()
        refresh(number)
    }

    /// Stops what runs for an operation, and leaves it inactive.
    private func halt(_ number: Int, isWithdrawing: Bool = true) {
        guard let entry = entries[number] else { return }
        entry.worker?.cancel()
        entry.timeLimit?.cancel()
        board.end(for: .operation(number))
        board.end(for: .registering(number))
        if isWithdrawing, let lease = entry.lease, let session {
            withdraw(lease.name, in: session, until: lease.expiresAt)
        }
        for event in entries[number]?.found.loseAll() ?? [] { entry.operation.events.add(event) }
        entries[number]?.lease = nil
        entries[number]?.worker = nil
        entries[number]?.isRunning = false
        entries[number]?.isRefused = false
        entries[number]?.hasFailed = false
        refresh(number)
        updateLoops()
        plan()
    }

    private func remove(_ number: Int) {
        guard let entry = entries[number] else { return }
        note("operation \(number): over")
        entry.asking?.cancel()
        halt(number)
        entries[number] = nil
    }

    /// Tells how far it is.
    func refresh(_ number: Int) {
        guard let entry = entries[number] else { return }
        let status: OperationStatus
        if !entry.isRunning || entry.isRefused {
            status = .inactive
        } else if case .direct = entry.operation.purpose {
            status = entry.operation.strategy.mode.contains(.broadcast) ? .active : .inactive
        } else {
            status = entry.lease?.isValid(now: now) == true ? .active : .starting
        }
        if status != entry.operation.status { note("operation \(number): \(status)") }
        entry.operation.set(status)
    }

    /// Begins what the operations need of the service, and ends what none needs any more.
    func updateLoops() {
        let needy = entries.values.filter { $0.isRunning && !$0.isRefused && $0.operation.order != nil }
        if needy.isEmpty {
            for task in [reporting, reading, reportSleeper] { task?.cancel() }
            opening?.cancel()
            (reporting, reading, opening) = (nil, nil, nil)
            for source in [ProblemBoard.Source.session, .reporting, .reading] { board.end(for: source) }
            return
        }
        if reporting == nil { reporting = Task { await keepReporting() } }
        if !needy.contains(where: \.operation.isSubscription) {
            reading?.cancel()
            reading = nil
            board.end(for: .reading)
        } else if reading == nil {
            reading = Task { await keepReading() }
        }
    }
}
