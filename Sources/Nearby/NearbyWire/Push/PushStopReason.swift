/// Why a provider stops. The numbers are those of the phone.
package enum PushStopReason: Int, Codable, Sendable, Hashable, CaseIterable {
    case none = 0
    case userInitiated
    case providerFailed
    case noNetworkAvailable
    case unrecoverableNetworkChange
    case providerDisabled
    case authenticationCanceled
    case configurationFailed
    case idleTimeout
    case configurationDisabled
    case configurationRemoved
    case superceded
    case userLogout
    case userSwitch
    case connectionFailed
    case sleep
    case appUpdate
}
