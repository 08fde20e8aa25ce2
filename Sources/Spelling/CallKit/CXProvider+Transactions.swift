import Foundation

/// The transactions of calls: each action from its begin to its end.
extension CXProvider {
    /// The calls, for `CXCallController`.
    var calls: [(uuid: UUID, call: CallRecord)] { state.withLock { $0.calls.map { ($0.key, $0.value) } } }

    func has(_ uuid: UUID) -> Bool { state.withLock { $0.calls[uuid] != nil } }
    func isRinging(_ uuid: UUID) -> Bool { state.withLock { $0.calls[uuid]?.phase == .ringing } }

    /// Lets the delegate carry out a transaction. Its actions have been checked.
    func request(_ transaction: CXTransaction) {
        let deadline = Date(timeIntervalSinceNow: Self.actionTimeLimitSeconds)
        var begun: [CXAction] = []
        for action in transaction.actions {
            let isNew = action.begin(deadline: deadline) { [weak self, weak action] isFulfilled in
                guard let self, let action else { return }
                self.finish(action, isFulfilled: isFulfilled)
            }
            guard isNew else { continue }
            begun.append(action)
            prepare(action)
        }
        guard !begun.isEmpty else { return }
        let actions = begun
        state.withLock { state in
            state.transactions.removeAll(where: \.isComplete)
            state.transactions.append(transaction)
        }
        let queue = queue
        queue.async {
            guard let delegate = self.state.withLock({ $0.delegate }) else {
                // Without a delegate the actions cannot be carried out.
                for action in actions { action.fail() }
                return
            }
            guard !delegate.provider(self, execute: transaction) else { return }
            for action in actions { Self.perform(action, delegate, self) }
        }
        queue.asyncAfter(deadline: .now() + Self.actionTimeLimitSeconds) { [weak self] in
            guard let self else { return }
            for action in actions where !action.isComplete {
                self.state.withLock { $0.delegate }?.provider(self, timedOutPerforming: action)
                action.fail()
            }
        }
    }

    private static func perform(_ action: CXAction, _ delegate: any CXProviderDelegate, _ provider: CXProvider) {
        switch action {
        case let action as CXStartCallAction: delegate.provider(provider, perform: action)
        case let action as CXAnswerCallAction: delegate.provider(provider, perform: action)
        case let action as CXEndCallAction: delegate.provider(provider, perform: action)
        default: action.fail()
        }
    }

    /// The call's state while the delegate carries out an action.
    private func prepare(_ action: CXAction) {
        switch action {
        case let action as CXStartCallAction:
            state.withLock { state in
                let update = CXCallUpdate()
                update.remoteHandle = action.handle
                state.calls[action.callUUID] = CallRecord(
                    texts: CallTexts(update, appName: ""), phase: .outgoing, isOutgoing: true)
            }
        case let action as CXAnswerCallAction:
            // It stops ringing, so that the user cannot answer twice.
            state.withLock { $0.calls[action.callUUID]?.phase = .answering }
            stopRinging(action.callUUID)
        case let action as CXEndCallAction:
            state.withLock { state in
                if state.calls[action.callUUID]?.phase == .ringing { state.calls[action.callUUID]?.phase = .answering }
            }
            stopRinging(action.callUUID)
        default: break
        }
    }

    private func finish(_ action: CXAction, isFulfilled: Bool) {
        switch (action, isFulfilled) {
        case (let action as CXAnswerCallAction, true): state.withLock { $0.calls[action.callUUID]?.phase = .connected }
        case (let action as CXAnswerCallAction, false): end(action.callUUID)
        case (let action as CXStartCallAction, false): end(action.callUUID)
        case (let action as CXEndCallAction, _): end(action.callUUID)
        default: break
        }
    }
}
