import EarshotDiscovery
import EarshotMessages

/// A manager's error handlers. They are called on the main queue, when the state changes.
///
/// Unchecked, because an app's closures are not Sendable: see `GNSOperationHandlers`.
final class GNSErrorHandlers: @unchecked Sendable {
    /// The errors for which an app can set handlers.
    enum Subject: CaseIterable {
        /// The microphone is missing, forbidden, busy or unusable.
        case microphone
        /// Bluetooth is off, missing or unusable. The phone had no name for a missing adapter; in all these cases it is
        /// right to ask the user to switch Bluetooth on.
        case bluetoothPower
        /// The system denies the program access to Bluetooth.
        case bluetoothPermission

        init?(_ problem: ManagerProblem) {
            switch problem.kind {
            case _ where problem.isAboutMicrophone: self = .microphone
            case .medium(.bluetoothForbidden, _): self = .bluetoothPermission
            case .medium(.bluetoothOff, _), .medium(.noBluetoothAdapter, _), .medium(.noBluetoothService, _),
                .medium(.bluetoothUnusable, _), .unsupportedMedium(.bluetooth):
                self = .bluetoothPower
            default: return nil
            }
        }
    }

    private let handlers: [Subject: GNSErrorStateHandler]

    init(_ params: GNSMessageManagerParams) {
        let handlers: [Subject: GNSErrorStateHandler?] = [
            .microphone: params.microphonePermissionErrorHandler,
            .bluetoothPower: params.bluetoothPowerErrorHandler,
            .bluetoothPermission: params.bluetoothPermissionErrorHandler,
        ]
        self.handlers = handlers.compactMapValues(\.self)
    }

    /// Reports the problems of the devices, until the stream ends.
    func follow(_ problems: AsyncStream<ManagerProblem>) -> Task<Void, Never> {
        Task { [weak self] in
            // Several problems may exist at once; each begins and ends independently.
            var reasons: [Subject: Set<ManagerProblem.Kind>] = [:]
            for await problem in problems {
                guard let subject = Subject(problem) else { continue }
                let hadError = reasons[subject]?.isEmpty == false
                if problem.isSolved {
                    reasons[subject]?.remove(problem.kind)
                } else {
                    reasons[subject, default: []].insert(problem.kind)
                }
                let hasError = reasons[subject]?.isEmpty == false
                if hasError != hadError { await onMainQueue { [weak self] in self?.handlers[subject]?(hasError) } }
            }
        }
    }
}
