import EarshotDiscovery

/// Asks for the permission of each operation, and follows the user's later decisions.
struct PermissionDesk {
    enum News: Sendable {
        /// The answer for one operation.
        case answered(Int, PermissionState)
        /// A change for all operations with this need.
        case changed(PermissionState, LocationNeed)
    }

    private let gate: any PermissionGate
    private let applicationIdentifier: String
    private let tell: @Sendable (News) -> Void
    private var asking: [Int: Task<Void, Never>] = [:]
    private var watching: [LocationNeed: Task<Void, Never>] = [:]

    init(_ gate: any PermissionGate, application: String, tell: @escaping @Sendable (News) -> Void) {
        self.gate = gate
        applicationIdentifier = application
        self.tell = tell
    }

    /// Asks for an operation.
    /// - Returns: the reason why it may not run at all; nil if the user's answer follows.
    mutating func ask(for handle: OperationHandle) -> String? {
        let purpose = purpose(of: handle.operation)
        if let refusal = gate.refusal(of: purpose) { return refusal }
        // Begins before the first request, so that no change is missed.
        watch(handle.operation.locationNeed)
        asking[handle.number] = Task { [gate, tell] in
            let state = await gate.request(purpose, override: handle.consent)
            if !Task.isCancelled { tell(.answered(handle.number, state)) }
        }
        return nil
    }

    /// The operation has ended.
    mutating func forget(_ number: Int) { asking.removeValue(forKey: number)?.cancel() }

    mutating func close() {
        for task in asking.values { task.cancel() }
        for task in watching.values { task.cancel() }
    }

    /// The request for consent. Looking for beacons counts as scanning by Bluetooth.
    private func purpose(of operation: Operation) -> ConsentPurpose {
        let strategy = operation.strategy
        let isForBeacons = operation.beacons != nil
        return ConsentPurpose(
            applicationIdentifier: applicationIdentifier,
            mode: isForBeacons ? strategy.mode.union(.scan) : strategy.mode,
            media: isForBeacons ? strategy.media?.union([.bluetooth]) : strategy.media,
            findsBeacons: isForBeacons && operation.usefulMode.isEmpty, needsLocation: operation.locationNeed != .none,
            goesOnInBackground: operation.locationNeed == .always)
    }

    private mutating func watch(_ need: LocationNeed) {
        guard watching[need] == nil else { return }
        let changes =
            switch need {
            case .none: gate.changes(needsLocation: false)
            case .inForeground: gate.changes(needsLocation: true)
            case .always: gate.backgroundLocationChanges
            }
        watching[need] = Task { [tell] in
            // The first state is the one before any request, and has no effect.
            var last: PermissionState?
            for await state in changes {
                if let last, last != state { tell(.changed(state, need)) }
                last = state
            }
        }
    }
}
