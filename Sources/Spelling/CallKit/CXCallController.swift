public import Dispatch
public import Foundation

/// The state of a call, for a controller.
open class CXCall: NSObject {
    /// The identifier of the call.
    public let uuid: UUID
    /// Whether the user started the call.
    public let isOutgoing: Bool
    /// Whether it was answered.
    public let hasConnected: Bool
    /// Always false: calls cannot be put on hold here.
    public let isOnHold = false
    /// Whether it is over. Ended calls are not listed.
    public let hasEnded: Bool

    init(uuid: UUID, isOutgoing: Bool, hasConnected: Bool, hasEnded: Bool = false) {
        (self.uuid, self.isOutgoing, self.hasConnected, self.hasEnded) = (uuid, isOutgoing, hasConnected, hasEnded)
    }
}

/// Lists the calls of this program.
open class CXCallObserver: NSObject {
    private let registry: ProviderRegistry

    /// An observer of this program's calls. Those of other programs are not visible.
    public override convenience init() { self.init(registry: .shared) }

    init(registry: ProviderRegistry) { self.registry = registry }

    /// The calls that are not over.
    open var calls: [CXCall] {
        registry.providers.flatMap(\.calls).map {
            CXCall(uuid: $0.uuid, isOutgoing: $0.call.isOutgoing, hasConnected: $0.call.phase == .connected)
        }
    }
}

/// Requests actions on the calls of this program, such as those of an app's own buttons.
open class CXCallController: NSObject, @unchecked Sendable {
    /// The calls.
    public let callObserver: CXCallObserver
    private let queue: DispatchQueue
    private let registry: ProviderRegistry

    /// A controller that calls completions on the main queue.
    public override convenience init() { self.init(queue: .main) }

    /// A controller that calls completions on a queue.
    public convenience init(queue: DispatchQueue) { self.init(queue: queue, registry: .shared) }

    init(queue: DispatchQueue, registry: ProviderRegistry) {
        (self.queue, self.registry) = (queue, registry)
        callObserver = CXCallObserver(registry: registry)
    }

    /// Requests a transaction.
    /// - Parameters:
    ///   - transaction: one action or more on the app's calls.
    ///   - completion: called when the provider has accepted it, not when it is carried out; or with
    ///     `CXErrorCodeRequestTransactionError`.
    open func request(_ transaction: CXTransaction, completion: @escaping ((any Error)?) -> Void) {
        let completion = Unchecked(completion)
        let failure = registry.request(transaction)
        queue.async { completion.value(failure) }
    }

    /// Requests a transaction.
    /// - Throws: `CXErrorCodeRequestTransactionError` if no provider accepts it.
    open func request(_ transaction: CXTransaction) async throws {
        if let failure = registry.request(transaction) { throw failure }
    }

    /// Requests a transaction of actions.
    open func requestTransaction(with actions: [CXAction], completion: @escaping ((any Error)?) -> Void) {
        request(CXTransaction(actions: actions), completion: completion)
    }

    /// Requests a transaction of one action.
    open func requestTransaction(with action: CXAction, completion: @escaping ((any Error)?) -> Void) {
        request(CXTransaction(action: action), completion: completion)
    }
}

/// The providers of this program.
final class ProviderRegistry: Sendable {
    static let shared = ProviderRegistry()

    private struct Entry {
        weak var provider: CXProvider?
    }

    private let entries = Guarded<[Entry]>([])

    /// The providers, the oldest first.
    var providers: [CXProvider] { entries.withLock { $0.compactMap(\.provider) } }

    func add(_ provider: CXProvider) {
        entries.withLock { entries in
            entries.removeAll { $0.provider == nil }
            entries.append(Entry(provider: provider))
        }
    }

    func remove(_ provider: CXProvider) {
        entries.withLock { $0.removeAll { $0.provider == nil || $0.provider === provider } }
    }

    /// Passes a transaction to the provider of its calls.
    /// - Returns: the reason for a refusal; nil if it was accepted.
    func request(_ transaction: CXTransaction) -> CXErrorCodeRequestTransactionError? {
        let (actions, providers) = (transaction.actions, providers)
        guard !actions.isEmpty else { return .init(.emptyTransaction, "The transaction has no action.") }
        guard let newest = providers.last else {
            return .init(.unknownCallProvider, "There is no provider of calls.")
        }
        var owner: CXProvider?
        for action in actions {
            guard let call = action as? CXCallAction, !action.isComplete else {
                return .init(.invalidAction, "The action is complete, or not one on a call.")
            }
            let known = providers.first { $0.has(call.callUUID) }
            if action is CXStartCallAction {
                guard known == nil else { return .init(.callUUIDAlreadyExists, "There is a call \(call.callUUID).") }
                guard newest.calls.count < newest.configuration.maximumCallCount else {
                    return .init(.maximumCallGroupsReached, "There are as many calls as the configuration allows.")
                }
                owner = owner ?? newest
            } else {
                guard let known else { return .init(.unknownCallUUID, "There is no call \(call.callUUID).") }
                if action is CXAnswerCallAction, !known.isRinging(call.callUUID) {
                    return .init(.invalidAction, "The call \(call.callUUID) does not ring.")
                }
                owner = owner ?? known
            }
        }
        owner?.request(transaction)
        return nil
    }
}
