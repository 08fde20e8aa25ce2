import Dispatch
import EarshotMessages

/// A manager's handlers of what is wrong. Called on the main queue, and when something changes only.
///
/// Unchecked, because an app's closures are what they are: see `GNSOperationHandlers`.
final class GNSErrorHandlers: @unchecked Sendable {
    private let microphone: GNSErrorStateHandler?
    private let bluetooth: [GNSErrorStateHandler]
    /// Used on the main queue only.
    private var hasReportedBluetooth = false

    init(_ params: GNSMessageManagerParams) {
        microphone = params.microphonePermissionErrorHandler
        bluetooth = [params.bluetoothPowerErrorHandler, params.bluetoothPermissionErrorHandler].compactMap(\.self)
    }

    /// Reports what is wrong with the microphone, until the manager's problems end.
    func follow(_ problems: AsyncStream<ManagerProblem>) -> Task<Void, Never> {
        Task { [weak self] in
            // There may be several reasons, which come and go by themselves.
            var reasons: Set<ManagerProblem.Kind> = []
            for await problem in problems where problem.isAboutMicrophone {
                let hadError = !reasons.isEmpty
                if problem.isSolved { reasons.remove(problem.kind) } else { reasons.insert(problem.kind) }
                let hasError = !reasons.isEmpty
                if hasError != hadError { await onMainQueue { [weak self] in self?.microphone?(hasError) } }
            }
        }
    }

    /// Something asks for Bluetooth.
    func reportBluetooth() {
        DispatchQueue.main.async { [weak self] in
            guard let self, !hasReportedBluetooth else { return }
            hasReportedBluetooth = true
            for handler in bluetooth { handler(true) }
        }
    }
}
