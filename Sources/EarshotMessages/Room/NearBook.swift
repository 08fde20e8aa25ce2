import EarshotCoding
import EarshotDiscovery

/// Who is near on one medium, and what is wrong with it, over several runs of discovery.
///
/// When another operation changes the mode, discovery begins anew and knows nobody. What was near before has a while to be heard
/// again, and so has what was wrong, before it is over: nothing changed in the room.
struct NearBook: Sendable {
    private var near: Set<Payload> = []
    private var unconfirmed: Set<Payload> = []
    private var problems: Set<DiscoveryProblem> = []
    private var unconfirmedProblems: Set<DiscoveryProblem> = []

    /// Nobody near.
    init() {}

    /// Discovery found somebody.
    mutating func find(_ payload: Payload) -> RoomEvent? {
        unconfirmed.remove(payload)
        return near.insert(payload).inserted ? .heard(payload) : nil
    }

    /// Discovery lost somebody.
    mutating func lose(_ payload: Payload) -> RoomEvent? {
        unconfirmed.remove(payload)
        return near.remove(payload).map { .gone($0) }
    }

    /// Something is wrong from now on.
    mutating func begin(_ problem: DiscoveryProblem, detail: String) -> RoomEvent? {
        unconfirmedProblems.remove(problem)
        return problems.insert(problem).inserted ? .problem(problem, detail: detail) : nil
    }

    /// It is not any more.
    mutating func end(_ problem: DiscoveryProblem) -> RoomEvent? {
        unconfirmedProblems.remove(problem)
        return problems.remove(problem).map { .solved($0) }
    }

    /// Discovery begins anew in another mode.
    /// - Returns: what is over at once, because nobody listens or talks any more.
    mutating func restart(mode: DiscoveryMode) -> [RoomEvent] {
        unconfirmed = near
        let left = problems.filter { !$0.direction.isSubset(of: mode) || mode.isEmpty }
        unconfirmedProblems = problems.subtracting(left)
        problems.subtract(left)
        return left.map { .solved($0) } + (mode.contains(.scan) ? [] : dropUnconfirmed())
    }

    /// What was near before and was not heard since is gone.
    mutating func dropUnconfirmed() -> [RoomEvent] {
        defer { unconfirmed = [] }
        near.subtract(unconfirmed)
        return unconfirmed.map { .gone($0) }
    }

    /// What was wrong before and was not seen since is over.
    mutating func dropUnconfirmedProblems() -> [RoomEvent] {
        defer { unconfirmedProblems = [] }
        problems.subtract(unconfirmedProblems)
        return unconfirmedProblems.map { .solved($0) }
    }
}

/// What a medium of the room reports.
enum RoomEvent: Sendable, Equatable {
    case heard(Payload)
    case gone(Payload)
    case problem(DiscoveryProblem, detail: String)
    case solved(DiscoveryProblem)
}

extension DiscoveryProblem {
    /// Where it can be. The band is seen by who listens, and who talks cares, too.
    fileprivate var direction: DiscoveryMode {
        switch self {
        case .noMicrophone: .scan
        case .noLoudspeaker: .broadcast
        case .noPermission(let direction), .deviceBusy(let direction), .deviceUnusable(let direction): direction
        case .bandOccupied: .scan
        }
    }
}
