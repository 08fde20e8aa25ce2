import EarshotBasics
import EarshotCoding
import EarshotDiscovery
import NearbyWire

/// The core of a manager. It connects the manager's operations, the room that they share, and the service.
///
///     operations ─ permission ─▶ workers ─▶ service        (+Registering: a lease for each operation, with a token)
///         │                                   ▲ │
///         └─▶ plan ─▶ room ─ heard, gone ─────┘ │          (+Room, +Reporting)
///                      events ◀── found, lost ──┘          (+Reading)
///         beacons ─▶ look-ups ─▶ events                     (+Beacons)
///
/// Outside events arrive through `input`, in order. The actor waits for nothing but the service.
actor Exchange {
    /// An event from outside.
    enum Input: Sendable {
        case add(OperationCore)
        case end(Int)
        case permission(PermissionState, LocationNeed)
        case room(DiscoveryMediumKind, RoomEvent)
        case agent(AgentNews)
        case foreground(Bool)
    }

    /// An operation and its progress.
    struct Entry {
        let operation: OperationCore
        /// nil until the user has decided.
        var permission: PermissionState?
        var asking: Task<Void, Never>?
        var isRunning = false
        /// The available media that its strategy allows.
        var kinds: Set<DiscoveryMediumKind> = []
        /// The scan for beacons that it needs; nil if it needs none, or if there is no radio for it.
        var scan: BeaconScan?
        var worker: Task<Void, Never>?
        var timeLimit: Task<Void, Never>?
        var lease: Lease?
        /// Whether the last request of it failed.
        var hasFailed = false
        /// Whether the service will never accept it.
        var isRefused = false
        var found = FoundBook()
        var beaconMessages = BeaconMessages()
        /// nil if the agent does not keep it.
        var keeping: Keeping?

        /// Whether it finds devices, or is found by them.
        var isNearby: Bool { !kinds.isEmpty && !operation.strategy.mode.isEmpty }
    }

    let configuration: MessageManager.Configuration
    let service: any MessageService
    let board: ProblemBoard
    let note: @Sendable (String) -> Void
    nonisolated let input: AsyncStream<Input>.Continuation
    private let inputs: AsyncStream<Input>
    private let begin = ContinuousClock.now

    var entries: [Int: Entry] = [:]
    /// Follow the permission gate, each from the first operation that needs it.
    var watching: [LocationNeed: Task<Void, Never>] = [:]
    /// The latest states from the permission gate.
    var decisions: [LocationNeed: PermissionState] = [:]
    var isClosed = false

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

    // +Beacons
    /// nil until a subscription first looks for beacons.
    var beaconSource: (any BeaconSource<DiscoveryProblem>)??
    var scans: [BeaconScan: Scan] = [:]
    var attachments: AttachmentBook
    var lookingUp: Task<Void, Never>?
    var lookUpSleeper: Task<Void, Never>?
    var expiring: Task<Void, Never>?

    // +Background
    let key: String
    let foreground: Foreground
    var agentClient: AgentClient?
    var telling: Task<Void, Never>?
    /// Follows the foreground, if operations end with it.
    var followingForeground: Task<Void, Never>?
    var isForeground = true
    var hasWarnedOfBackground = false

    // +Reading
    var reading: Task<Void, Never>?
    var lastEventID: String?
    var lastSignOfLife: Duration?
    var strayEvents: [ServiceEvent] = []
    var doubting: Task<Void, Never>?

    init(
        _ configuration: MessageManager.Configuration, key: String, service: any MessageService, board: ProblemBoard,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.configuration = configuration
        self.key = key
        foreground = configuration.foreground ?? .shared
        isForeground = configuration.foreground?.isActive ?? true
        self.service = service
        self.board = board
        self.note = note
        sessionBackOff = BackOff(configuration.backOff)
        reporter = SightingReporter(
            delay: configuration.pace.reportDelay, renewal: configuration.pace.sightingRenewal,
            signOfLife: configuration.pace.signOfLife)
        attachments = AttachmentBook(memory: configuration.pace.attachmentMemory, delay: configuration.pace.reportDelay)
        (inputs, input) = AsyncStream.makeStream(of: Input.self)
    }

    /// The time since the manager began.
    var now: Duration { begin.duration(to: .now) }

    /// Handles the input until the exchange is closed.
    func run() async {
        for await input in inputs {
            guard !isClosed else { continue }
            switch input {
            case .add(let operation): add(operation)
            case .end(let number): remove(number)
            case .permission(let state, let need): decide(state, for: need)
            case .room(let kind, let event): take(event, on: kind)
            case .agent(let news): take(news)
            case .foreground(let isActive): follow(isActive)
            }
        }
    }

    /// Ends all operations, the session at the service, and the media.
    func close() async {
        guard !isClosed else { return }
        isClosed = true
        for task in watching.values { task.cancel() }
        let listening = scans.values.compactMap(\.listening)
        for (number, entry) in entries {
            entry.operation.end()
            releaseFromAgent(number)
            halt(number, isWithdrawing: false)
            entry.asking?.cancel()
        }
        entries = [:]
        telling?.cancel()
        followingForeground?.cancel()
        await agentClient?.close()
        updateLoops()
        doubting?.cancel()
        for withdrawal in withdrawals.values { withdrawal.cancel() }
        let rooms = rooms
        async let closed: Void = {
            for room in (rooms ?? [:]).values { await room.close() }
        }()
        await endSession()
        await closed
        for task in listening { await task.value }
        board.finish()
        input.finish()
    }
}
