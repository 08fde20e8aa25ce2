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
        case .noBluetoothService: "no Bluetooth service"
        case .noBluetoothAdapter: "no Bluetooth adapter"
        case .bluetoothOff: "Bluetooth off"
        case .bluetoothForbidden: "no permission for Bluetooth"
        case .bluetoothUnusable(let direction):
            direction.contains(.scan) ? "Bluetooth cannot scan" : "Bluetooth cannot advertise"
        }
    }
}

extension DiscoveryMode {
    fileprivate var deviceName: String { contains(.scan) ? "microphone" : "loudspeaker" }
}
