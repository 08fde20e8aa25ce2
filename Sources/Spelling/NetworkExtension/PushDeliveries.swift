import Dispatch
import EarshotPush
import Foundation
import NearbyWire
import Synchronization

/// Delivers the reports of providers to the delegates: each event once, to the manager of its configuration whose
/// delegate was set last. Events without a delegate wait.
final class PushDeliveries: Sendable {
    private struct State {
        /// The managers with a delegate, by configuration.
        var managers: [String: NEAppPushManager] = [:]
        /// Events without a delegate, the oldest first.
        var waiting: [PushFrame.Event] = []
    }

    /// The agent does not store more for an app.
    private static let maximumWaitingCount = 2 * PushFrame.maximumWaitingCount

    private let client: PushClient
    private let state = Mutex(State())

    init(_ client: PushClient) {
        self.client = client
        client.receive { [weak self] event in
            guard let self else { return }
            state.withLock { state in
                // The agent still stores the dropped events, for the next process.
                if state.waiting.count < Self.maximumWaitingCount { state.waiting.append(event) }
            }
            DispatchQueue.main.async { self.deliver() }
        }
    }

    /// Call it after a change of a manager's delegate.
    func delegateChanged(of manager: NEAppPushManager) {
        let identifier = manager.identifier
        let hasDelegate = manager.delegate != nil
        state.withLock { state in
            if hasDelegate {
                state.managers[identifier] = manager
            } else if state.managers[identifier] === manager {
                state.managers[identifier] = nil
            }
        }
        guard hasDelegate else { return }
        client.want(startsAgent: manager.isEnabled)
        DispatchQueue.main.async { self.deliver() }
    }

    @MainActor private func deliver() {
        while let (event, manager, delegate) = next() {
            let userInfo = Self.values(event.userInfo)
            switch event.kind {
            case .call: delegate.appPushManager(manager, didReceiveIncomingCallWithUserInfo: userInfo)
            case .talk: delegate.appPushManager(manager, didReceivePushToTalkMessageWithUserInfo: userInfo)
            case .click:
                delegate.appPushManager(
                    manager, didClickNotification: userInfo["identifier"] as? String ?? "",
                    title: userInfo["title"] as? String ?? "", body: userInfo["body"] as? String ?? "")
            }
            client.take(event.id)
        }
    }

    @MainActor private func next() -> (PushFrame.Event, NEAppPushManager, any NEAppPushDelegate)? {
        state.withLock { state -> UncheckedDelivery? in
            for (index, event) in state.waiting.enumerated() {
                guard let manager = state.managers[event.configuration], let delegate = manager.delegate else {
                    continue
                }
                state.waiting.remove(at: index)
                return UncheckedDelivery(value: (event, manager, delegate))
            }
            return nil
        }?.value
    }

    private static func values(_ json: Data) -> [AnyHashable: Any] {
        guard case .dictionary(let entries)? = PropertyList(json: json) else { return [:] }
        return entries.values
    }
}

/// Unchecked, because the delegate stays on the main queue.
private struct UncheckedDelivery: @unchecked Sendable {
    let value: (PushFrame.Event, NEAppPushManager, any NEAppPushDelegate)
}
