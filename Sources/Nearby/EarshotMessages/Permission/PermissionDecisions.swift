/// The questions that the user decides, each by itself.
enum PermissionTopic: String, Sendable, Hashable, CaseIterable {
    /// To find devices nearby and be found.
    case nearby
    /// To follow where the device is.
    case location
    /// To do so also while the program does not run.
    case backgroundLocation
}

/// The decisions on all topics, as the file keeps them.
struct PermissionDecisions: Sendable, Hashable {
    var nearby = PermissionState.undecided
    var location = PermissionState.undecided
    var backgroundLocation = PermissionState.undecided

    subscript(topic: PermissionTopic) -> PermissionState {
        get {
            switch topic {
            case .nearby: nearby
            case .location: location
            case .backgroundLocation: backgroundLocation
            }
        }
        set {
            switch topic {
            case .nearby: nearby = newValue
            case .location: location = newValue
            case .backgroundLocation: backgroundLocation = newValue
            }
        }
    }

    /// The decision on an operation that needs all of these topics: one denial denies it, and a grant takes all of them.
    subscript(topics: Set<PermissionTopic>) -> PermissionState {
        let states = topics.map { self[$0] }
        if states.contains(.denied) { return .denied }
        return states.contains(.undecided) ? .undecided : .granted
    }
}
