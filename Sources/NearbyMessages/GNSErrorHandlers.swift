import Dispatch
import EarshotMessages

/// A manager's error handlers. They are called on the main queue, when the state changes.
///
/// Unchecked, because an app's closures are not Sendable: see `GNSOperationHandlers`.
final class GNSErrorHandlers: @unchecked Sendable {
    private let microphone: GNSErrorStateHandler?
    private let bluetooth: [GNSErrorStateHandler]
    /// Used on the main queue only.
    private var hasReportedBluetooth = false

    init(_ params: GNSMessageManagerParams) {
        microphone = params.microphonePermissionErrorHandler
        bluetooth = [params.bluetoothPowerErrorHandler, params.bluetoothPermissionErrorHandler].compactMap(\.self)
    }

    /// Reports problems of the microphone, until the stream ends.
    func follow(_ problems: AsyncStream<ManagerProblem>) -> Task<Void, Never> {
        Task { [weak self] in
            // Several problems may exist at once; each begins and ends by itself.
            var reasons: Set<ManagerProblem.Kind> = []
            for await problem in problems where problem.isAboutMicrophone {
                let hadError = !reasons.isEmpty
                if problem.isSolved { reasons.remove(problem.kind) } else { reasons.insert(problem.kind) }
                let hasError = !reasons.isEmpty
                if hasError != hadError { await onMainQueue { [weak self] in self?.microphone?(hasError) } }
            }
        }
    }

    /// An operation asks for Bluetooth.
    func reportBluetooth() {
        DispatchQueue.main.async { [weak self] in
            guard let self, !hasReportedBluetooth else { return }
            hasReportedBluetooth = true
            for handler in bluetooth { handler(true) }
        }
    }
}
