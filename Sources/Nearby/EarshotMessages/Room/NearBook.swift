import EarshotCoding
import EarshotDiscovery

/// The devices near on one medium, and the medium's problems, across several runs of discovery.
///
/// When another operation changes the mode, discovery restarts without memory, although the room has not changed. So a
/// device or problem of the previous run counts as gone only if the new run does not confirm it in time.
struct NearBook: Sendable {
    private var near: Set<Payload> = []
    private var lastHeard: [Payload: ContinuousClock.Instant] = [:]
    private var unconfirmed: Set<Payload> = []
    private var problems: Set<DiscoveryProblem> = []
    private var unconfirmedProblems: Set<DiscoveryProblem> = []

    /// A book without devices or problems.
    init() {}

    /// The time when a near device was last heard; nil if it is not near, or if the medium does not report it.
    func lastHeard(_ payload: Payload) -> ContinuousClock.Instant? { lastHeard[payload] }

    /// Discovery found a device.
    mutating func find(_ payload: Payload, _ heard: ContinuousClock.Instant? = nil) -> RoomEvent? {
        unconfirmed.remove(payload)
        lastHeard[payload] = heard
        return near.insert(payload).inserted ? .heard(payload) : nil
    }

    /// Discovery heard a device again.
    mutating func hear(_ payload: Payload, _ heard: ContinuousClock.Instant) {
        if near.contains(payload) { lastHeard[payload] = heard }
    }

    /// Discovery lost a device.
    mutating func lose(_ payload: Payload) -> RoomEvent? {
        unconfirmed.remove(payload)
        lastHeard[payload] = nil
        return near.remove(payload).map { .gone($0) }
    }

    /// Discovery reported a problem.
    mutating func begin(_ problem: DiscoveryProblem, detail: String) -> RoomEvent? {
        unconfirmedProblems.remove(problem)
        return problems.insert(problem).inserted ? .problem(problem, detail: detail) : nil
    }

    /// Discovery reported a problem as solved.
    mutating func end(_ problem: DiscoveryProblem) -> RoomEvent? {
        unconfirmedProblems.remove(problem)
        return problems.remove(problem).map { .solved($0) }
    }

    /// Discovery restarts in another mode.
    ///
    /// A problem of a direction that the mode does not have lasts: that device is no longer used, so the end of its
    /// problem cannot be noticed.
    /// - Returns: the events of devices that are gone at once, because the mode does not scan.
    mutating func restart(mode: DiscoveryMode) -> [RoomEvent] {
        unconfirmed = near
        unconfirmedProblems = problems.filter { $0.direction.isSubset(of: mode) }
        return mode.contains(.scan) ? [] : dropUnconfirmed()
    }

    /// Removes the devices, and the occupied band, that the new run has not confirmed.
    mutating func dropUnconfirmed() -> [RoomEvent] {
        let quiet = unconfirmedProblems.filter { !$0.isAboutDevice }
        defer {
            unconfirmed = []
            unconfirmedProblems.subtract(quiet)
        }
        near.subtract(unconfirmed)
        for payload in unconfirmed { lastHeard[payload] = nil }
        problems.subtract(quiet)
        return unconfirmed.map { .gone($0) } + quiet.map { .solved($0) }
    }

    /// The devices of these directions work in the new run.
    /// - Returns: the ends of the previous run's device problems. An occupied band is not a device's problem.
    mutating func open(_ mode: DiscoveryMode) -> [RoomEvent] {
        let over = unconfirmedProblems.filter { $0.isAboutDevice && $0.direction.isSubset(of: mode) }
        problems.subtract(over)
        unconfirmedProblems.subtract(over)
        return over.map { .solved($0) }
    }
}

/// An event of one medium of the room.
enum RoomEvent: Sendable, Equatable {
    case heard(Payload)
    case gone(Payload)
    case problem(DiscoveryProblem, detail: String)
    case solved(DiscoveryProblem)
}

extension DiscoveryProblem {
    /// The direction in which the problem can occur. Only a scan can notice an occupied band.
    fileprivate var direction: DiscoveryMode {
        switch self {
        case .noMicrophone: .scan
        case .noLoudspeaker: .broadcast
        case .noPermission(let direction), .deviceBusy(let direction), .deviceUnusable(let direction): direction
        case .bluetoothUnusable(let direction): direction
        case .bandOccupied: .scan
        // Either direction shows that the adapter works.
        case .noBluetoothService, .noBluetoothAdapter, .bluetoothOff, .bluetoothForbidden: []
        }
    }

    /// Whether the problem ends when the device works again.
    fileprivate var isAboutDevice: Bool { self != .bandOccupied }
}
