import EarshotDiscovery
package import NearbyWire

extension AgentProblem {
    /// A problem that has begun.
    package init(_ problem: ManagerProblem) {
        self.init(problem: "", detail: problem.detail)
        switch problem.kind {
        case .medium(let reason, let kind):
            medium = kind.name
            (self.problem, mode) = Self.name(reason)
        case .unsupportedMedium(let kind): (self.problem, medium) = ("unsupportedMedium", kind.name)
        case .noBackground(let kind): (self.problem, medium) = ("noBackground", kind.name)
        case .serviceUnreachable: self.problem = "serviceUnreachable"
        case .serviceRefusing(let code): (self.problem, self.code) = ("serviceRefusing", code)
        case .serviceInvalid: self.problem = "serviceInvalid"
        }
    }

    private static func name(_ problem: DiscoveryProblem) -> (String, Int?) {
        switch problem {
        case .noPermission(let mode): ("noPermission", mode.rawValue)
        case .deviceBusy(let mode): ("deviceBusy", mode.rawValue)
        case .deviceUnusable(let mode): ("deviceUnusable", mode.rawValue)
        case .bluetoothUnusable(let mode): ("bluetoothUnusable", mode.rawValue)
        case .noMicrophone, .noLoudspeaker, .bandOccupied, .noBluetoothService, .noBluetoothAdapter, .bluetoothOff,
            .bluetoothForbidden:
            ("\(problem)", nil)
        }
    }

    /// The problem in the app; nil if this version does not know it.
    package var managerProblem: ManagerProblem? {
        kind.map { ManagerProblem($0, detail: detail) }
    }

    private var kind: ManagerProblem.Kind? {
        switch problem {
        case "serviceUnreachable": return .serviceUnreachable
        case "serviceInvalid": return .serviceInvalid
        case "serviceRefusing": return .serviceRefusing(code: code ?? "")
        default: break
        }
        let known = [DiscoveryMediumKind.audio, .bluetooth]
        guard let medium, let kind = known.first(where: { $0.name == medium }) else { return nil }
        switch problem {
        case "unsupportedMedium": return .unsupportedMedium(kind)
        case "noBackground": return .noBackground(kind)
        default: break
        }
        let mode = DiscoveryMode(rawValue: mode ?? 0)
        let problems: [DiscoveryProblem] = [
            .noMicrophone, .noLoudspeaker, .bandOccupied, .noBluetoothService, .noBluetoothAdapter, .bluetoothOff,
            .bluetoothForbidden, .noPermission(mode), .deviceBusy(mode), .deviceUnusable(mode),
            .bluetoothUnusable(mode),
        ]
        return problems.first { Self.name($0).0 == problem }.map { .medium($0, kind) }
    }
}
