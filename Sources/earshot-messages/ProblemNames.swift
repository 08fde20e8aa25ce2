import EarshotDiscovery

extension DiscoveryProblem {
    /// The problem in words, for text and JSON.
    var name: String {
        switch self {
        case .noMicrophone: "no microphone"
        case .noLoudspeaker: "no loudspeaker"
        case .noPermission(let direction): "no permission for the \(direction.deviceName)"
        case .deviceBusy(let direction): "\(direction.deviceName) busy"
        case .deviceUnusable(let direction): "\(direction.deviceName) cannot be used"
        case .bandOccupied: "band occupied"
        }
    }
}

extension DiscoveryMode {
    fileprivate var deviceName: String { contains(.scan) ? "microphone" : "loudspeaker" }
}
