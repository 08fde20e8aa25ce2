/// The topics on which the user decides, each separately.
enum PermissionTopic: String, Sendable, Hashable, CaseIterable {
    /// To find devices nearby and be found.
    case nearby
    /// To know where the device is.
    case location
    /// To know it also while the program is not running.
    case backgroundLocation

    /// The name of the topic in the file.
    var key: String { self == .nearby ? "permission" : rawValue }
}

/// The decisions on all topics, as stored in the file.
struct PermissionDecisions: Sendable, Hashable {
    /// Topics that are not undecided.
    private var states: [PermissionTopic: PermissionState] = [:]

    subscript(topic: PermissionTopic) -> PermissionState {
        get { states[topic] ?? .undecided }
        set { states[topic] = newValue == .undecided ? nil : newValue }
    }

    /// The decision on an operation that needs all of these topics: one denial denies it, and it is granted only if all
    /// are.
    subscript(topics: Set<PermissionTopic>) -> PermissionState {
        let states = topics.map { self[$0] }
        if states.contains(.denied) { return .denied }
        return states.contains(.undecided) ? .undecided : .granted
    }
}
