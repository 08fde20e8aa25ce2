import EarshotMessages
import NearbyWire

/// The agent's knowledge of an app: its state on the disk, and its running operations.
struct AppRecord {
    var state: AppState
    var runs: [String: OperationRun] = [:]
    var managers: [ManagerName: ManagerBox] = [:]
    /// The process that the agent started, until it ends.
    var startedProcess: Int32?
    /// How often the agent started it since the agent's own start.
    var startCount = 0
    var tasks = Tasks()
    /// Processes whose work the user stopped: they may not start further operations.
    var stoppedProcesses: Set<Int32> = []
    /// The messages with a notification on the desktop.
    var notified: Set<String> = []
    /// Whether no desktop showed its last notification.
    var isWithoutDesktop = false
    /// Whether the log already says that the app cannot be started.
    var hasComplained = false

    /// The tasks that act later.
    struct Tasks {
        var starting: Task<Void, Never>?
        /// Ends the operations that no process of the app requests any longer.
        var tidying: Task<Void, Never>?
        var saving: Task<Void, Never>?
        var doubting: Task<Void, Never>?

        func cancel() {
            for task in [starting, tidying, saving, doubting] { task?.cancel() }
        }
    }

    func index(of id: String) -> Int? { state.operations.firstIndex { $0.order.id == id } }
}
