import EarshotMessages

/// An operation that runs in the agent, with the near messages.
struct OperationRun {
    /// Distinguishes runs of one operation: events of an earlier run are ignored.
    let number: Int
    /// The publication or subscription; the run ends with it.
    let handle: any AnyObject & Sendable
    let tasks: [Task<Void, Never>]
    /// The key and service address of the manager that runs it.
    let manager: ManagerName
    var status = OperationStatus.inactive
    /// The messages that were found and not lost, by id.
    var near: [String: ReceivedMessage] = [:]
    /// Messages that the app knows but that were not found again yet, each with the time at which it counts as lost, in
    /// seconds of a monotonic clock.
    var doubts: [String: Double] = [:]

    func stop() {
        for task in tasks { task.cancel() }
        (handle as? Publication)?.stop()
        (handle as? Subscription)?.stop()
    }
}

/// Operations with the same key and service share a manager.
struct ManagerName: Sendable, Hashable {
    var key: String
    var service: String
}

/// A manager, with its current problems.
struct ManagerBox {
    let manager: MessageManager
    let watching: Task<Void, Never>
    var problems: [ManagerProblem] = []
}
