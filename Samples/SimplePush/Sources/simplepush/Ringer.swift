import CallKit
import Foundation
import SimplePushKit
import Synchronization

/// Rings for calls through CallKit: a notification with *Answer* and *Decline*, and a ring tone.
final class Ringer: NSObject, CXProviderDelegate, Sendable {
    typealias Act = @Sendable (CallAction) -> Void

    private struct Call {
        var id: String
        var isAnswered = false
        var act: Act
    }

    private let calls = Mutex<[UUID: Call]>([:])
    private let provider = CXProvider(configuration: CXProviderConfiguration(localizedName: "SimplePush"))
    private let controller = CXCallController()

    override init() {
        super.init()
        provider.setDelegate(self, queue: nil)
    }

    /// - Parameter act: receives the user's action on the call.
    func ring(id: String, user: String, name: String, act: @escaping Act) async {
        let uuid = UUID()
        calls.withLock { $0[uuid] = Call(id: id, act: act) }
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .generic, value: user)
        update.localizedCallerName = name
        do {
            try await provider.reportNewIncomingCall(with: uuid, update: update)
        } catch {
            // If the call cannot ring, the user still sees the line on the terminal.
            calls.withLock { _ = $0.removeValue(forKey: uuid) }
        }
    }

    /// Acts on a call, as the notification's button does.
    /// - Returns: whether the call is one that has rung here.
    func request(_ action: CallAction, id: String) async -> Bool {
        guard let uuid = uuid(of: id) else { return false }
        let request = action == .accept ? CXAnswerCallAction(call: uuid) : CXEndCallAction(call: uuid)
        do { try await controller.request(CXTransaction(action: request)) } catch { return false }
        return true
    }

    /// The call was answered, perhaps by another program of the user.
    func accepted(id: String) {
        guard let uuid = uuid(of: id), calls.withLock({ $0[uuid]?.isAnswered }) == false else { return }
        end(uuid, .answeredElsewhere)
    }

    func ended(id: String) {
        if let uuid = uuid(of: id) { end(uuid, .remoteEnded) }
    }

    private func uuid(of id: String) -> UUID? { calls.withLock { $0.first { $0.value.id == id }?.key } }

    private func end(_ uuid: UUID, _ reason: CXCallEndedReason) {
        calls.withLock { _ = $0.removeValue(forKey: uuid) }
        provider.reportCall(with: uuid, endedAt: nil, reason: reason)
    }

    // MARK: The user's actions

    func providerDidReset(_ provider: CXProvider) { calls.withLock { $0 = [:] } }

    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        let act = calls.withLock { calls in
            calls[action.callUUID]?.isAnswered = true
            return calls[action.callUUID]?.act
        }
        guard let act else { return action.fail() }
        act(.accept)
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        guard let call = calls.withLock({ $0.removeValue(forKey: action.callUUID) }) else { return action.fail() }
        call.act(call.isAnswered ? .hangUp : .decline)
        action.fulfill()
    }
}
