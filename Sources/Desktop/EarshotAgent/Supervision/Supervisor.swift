import Dispatch
import EarshotMessages
import Foundation
import Glibc
import NearbyWire
import Synchronization

/// The core of the agent: the requests of apps, the running operations, and the delivery of events.
///
///     connections ─ frames ─▶ claims ─▶ operations ─▶ managers ─▶ media, service      (+Frames, +Running)
///                                          │  ▲
///     connections ◀─ events ───────────────┤  └─ found, lost                          (+Events)
///                                          └─▶ waiting events ─▶ start of the app     (+Starting)
///     state files ◀─ every change                                                     (+Saving)
///     connections ─ notifications of apps ─▶ desktop ─ clicks ─▶ connections, start   (+Notices)
///
/// Outside events arrive through `input`, in order.
actor Supervisor {
    /// An event from outside.
    enum Input: Sendable {
        case opened(Int, AgentConnection, process: Int32, FrameBacklog)
        case frame(Int, ClientFrame, byteCount: Int)
        case closed(Int)
        case run(app: String, id: String, number: Int, RunNews)
        case problems(app: String, ManagerName, ManagerProblem)
        case session(app: String, AppState.Session)
        /// No process of the app is left.
        case appLeft(String)
        case childStarted(app: String, AppStarter.Outcome, AppStarter.Reason)
        case childEnded(app: String, status: CInt?)
        case notification(AgentNotification, AgentNotificationOutcome)
        case startDue(app: String)
        case tidyDue(app: String)
        case doubtDue(app: String)
        case saveDue(app: String)
        /// Local push may have no work left.
        case pushChanged
    }

    /// Events of a running operation.
    enum RunNews: Sendable {
        case event(MessageEvent)
        case status(OperationStatus)
        /// The time to live is over.
        case over
    }

    /// The limits of all clients together.
    static let maximumClientCount = 64
    static let maximumAppCount = 64

    let options: AgentOptions
    let store: StateStore
    let starts: AppStarting
    nonisolated let input: AsyncStream<Input>.Continuation
    private let inputs: AsyncStream<Input>
    private let onIdle: @Sendable () -> Void
    /// Local push; nil for an agent without it.
    let push: PushSupervisor?

    var clients: [Int: AgentClientRecord] = [:]
    var apps: [String: AppRecord] = [:]
    /// The notifications that apps let the agent show, by their identifiers on the desktop.
    var notices: [String: AppNotice] = [:]
    var runCount = 0
    /// Whether any app has connected: an agent waits for the app that has just started it.
    var hasServed = false

    /// - Parameter onIdle: called when there is neither a client nor an operation.
    init(
        _ options: AgentOptions, store: StateStore, starts: AppStarting, push: PushSupervisor?,
        onIdle: @escaping @Sendable () -> Void
    ) {
        self.options = options
        self.store = store
        self.starts = starts
        self.push = push
        self.onIdle = onIdle
        (inputs, input) = AsyncStream.makeStream(of: Input.self)
    }

    /// See `AgentClock`.
    var monotonicSeconds: Double { options.internals.clock.monotonicSeconds() }
    /// Seconds since 1970.
    var wallSeconds: Double { options.internals.clock.wallSeconds() }

    /// Resumes the operations that the previous agent left, and handles the input until the process ends.
    func run(from states: [AppState]) async {
        resume(states)
        for await input in inputs {
            switch input {
            case .opened(let number, let connection, let process, let backlog):
                open(number, connection, process, backlog)
            case .frame(let number, let frame, let byteCount):
                clients[number]?.backlog.remove(byteCount)
                take(frame, from: number)
            case .closed(let number): close(number)
            case .run(let app, let id, let run, let news): take(news, of: id, run: run, app: app)
            case .problems(let app, let manager, let problem): take(problem, of: manager, app: app)
            case .session(let app, let session): remember(session, app: app)
            case .appLeft(let app): considerStart(app)
            case .childStarted(let app, let outcome, let reason): childStarted(app, outcome, reason)
            case .childEnded(let app, let status): childEnded(app, status)
            case .notification(let notification, let outcome): take(outcome, of: notification)
            case .startDue(let app): considerStart(app)
            case .tidyDue(let app): tidy(app)
            case .doubtDue(let app): endDoubts(app)
            case .saveDue(let app): saveNow(app)
            case .pushChanged: break
            }
            let isIdle =
                clients.isEmpty && notices.isEmpty && apps.values.allSatisfy(\.state.isEmpty)
                && push?.isBusy.withLock(\.self) != true
            if options.endsWhenIdle, hasServed, isIdle { onIdle() }
        }
    }

    private func resume(_ states: [AppState]) {
        for state in states {
            guard apps.count < Self.maximumAppCount else {
                options.log("more than \(Self.maximumAppCount) apps: \(state.app) is left out")
                continue
            }
            apps[state.app] = AppRecord(state: state)
            options.log("\(state.app): \(state.operations.count) operations continue")
            for operation in state.operations {
                if let end = operation.order.endsAt, end <= wallSeconds {
                    finish(operation.order.id, of: state.app)
                } else {
                    start(operation.order.id, of: state.app)
                    for id in operation.seen { doubt(id, of: operation.order.id, app: state.app) }
                }
            }
            saveNow(state.app)
            considerStart(state.app)
        }
    }

    /// Sends an input after a delay, unless the returned task is cancelled.
    func later(_ seconds: Double, _ event: Input) -> Task<Void, Never> {
        Task { [input] in
            if (try? await Task.sleep(for: .seconds(max(0, seconds)))) != nil { input.yield(event) }
        }
    }

    /// Ends all running operations. Their state stays on the disk.
    func close() async {
        settle()
        input.finish()
        for record in apps.values {
            record.tasks.cancel()
            for run in record.runs.values { run.stop() }
            for box in record.managers.values {
                box.watching.cancel()
                await box.manager.stop()
            }
        }
        apps = [:]
        clients = [:]
    }

    /// Writes all unsaved state to the disk. The process may end after that.
    func settle() {
        for (app, record) in apps where record.tasks.saving != nil { saveNow(app) }
    }
}
