import EarshotDiscovery
import NearbyWire

// An operation in the table, with its state.

extension OperationTable {
    /// The state of an operation.
    enum State: Sendable {
        /// The user has not answered.
        case asking
        /// The user did not grant the permission.
        case forbidden(PermissionState)
        /// The app is in the background, where the operation may not run.
        case waiting
        /// There is no medium to run on.
        case unable
        case here(Run)
        case inAgent(AgentRun)
        /// It runs in this process until the agent has taken it over.
        case handingOver(Run, AgentRun)
    }

    /// A run in this process.
    struct Run: Sendable {
        /// Unique within the manager: an operation gets a new number when it starts again.
        let number: Int
        /// The available media that its strategy allows.
        let kinds: Set<DiscoveryMediumKind>
        /// The scan for beacons that it needs; nil if it needs none, or if there is no radio.
        let scan: BeaconScan?
        var registration: RegistrationState
    }

    enum RegistrationState: Sendable {
        /// The operation needs no registration.
        case unneeded
        case pending
        /// The latest request failed.
        case failed
        case leased(Lease)
        /// The service will never accept it.
        case refused

        var lease: Lease? { if case .leased(let lease) = self { lease } else { nil } }
    }

    /// The state of an operation that the agent runs, or should run.
    struct AgentRun: Sendable {
        let order: BackgroundOperation
        /// Its status in the agent; nil if the agent does not have it.
        var status: OperationStatus?
    }

    struct Entry: Sendable {
        let operation: Operation
        var state = State.asking
        /// The latest change of the permission while it asks.
        var changed: PermissionState?
        /// The end of its time to live; nil if it is not running, or has no end.
        var endsAt: Duration?
        var found = FoundBook()
        var beaconMessages = BeaconMessages()
    }
}

extension OperationTable.Entry {
    /// The decision when the answer comes. A change may be newer than the answer, and is not reported again; if either
    /// is a denial, the decision is a denial.
    func decision(_ answer: PermissionState) -> PermissionState {
        answer == .denied ? .denied : changed ?? answer
    }

    /// nil until the user has answered.
    var permission: PermissionState? {
        switch state {
        case .asking: nil
        case .forbidden(let permission): permission
        case .waiting, .unable, .here, .inAgent, .handingOver: .granted
        }
    }

    /// The run in this process; nil if there is none.
    var run: OperationTable.Run? {
        switch state {
        case .here(let run), .handingOver(let run, _): run
        case .asking, .forbidden, .waiting, .unable, .inAgent: nil
        }
    }

    /// The part that the agent has; nil if it has none.
    var agentRun: OperationTable.AgentRun? {
        switch state {
        case .inAgent(let agentRun), .handingOver(_, let agentRun): agentRun
        case .asking, .forbidden, .waiting, .unable, .here: nil
        }
    }

    /// The registration of the run; nil if there is none.
    var registration: OperationTable.RegistrationState? {
        get { run?.registration }
        set {
            guard var run, let newValue else { return }
            run.registration = newValue
            state = agentRun.map { .handingOver(run, $0) } ?? .here(run)
        }
    }

    /// The status with the agent; nil if it does not have the operation.
    var agentStatus: OperationStatus? {
        get { agentRun?.status }
        set {
            guard var agentRun else { return }
            agentRun.status = newValue
            state = run.map { .handingOver($0, agentRun) } ?? .inAgent(agentRun)
        }
    }
}
