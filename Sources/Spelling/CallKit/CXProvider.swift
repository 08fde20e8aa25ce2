public import Dispatch
package import EarshotNotifications
public import Foundation

/// Shows an app's calls, and passes the user's actions to the app.
///
/// An incoming call is a critical notification with "Answer" and "Decline", and a ring tone that is repeated until the
/// call is answered or over. It plays through the sound device; if that cannot be used, the desktop plays it if it can.
/// A click on the notification itself also answers. The notification disappears when the call ends, or is answered here
/// or elsewhere. Without a desktop, a line on standard error announces the call, and the user answers in the app, which
/// uses `CXCallController`.
///
/// Closing the notification only silences it: the call continues until the caller gives up. A notification that
/// disappears for another reason is shown again.
open class CXProvider: NSObject, @unchecked Sendable {
    /// The time limit of a delegate for an action, in seconds.
    static let actionTimeLimitSeconds = 60.0

    struct State {
        var configuration: CXProviderConfiguration
        weak var delegate: (any CXProviderDelegate)?
        var queue = DispatchQueue.main
        var calls: [UUID: CallRecord] = [:]
        var transactions: [CXTransaction] = []
        var isValid = true
    }

    let state: Guarded<State>
    private let center: UserNotificationCenter
    private let output: NotificationOutput
    private let registry: ProviderRegistry
    private let ringTone: RingTone

    /// A provider of calls.
    public convenience init(configuration: CXProviderConfiguration) {
        self.init(
            configuration: configuration, center: UserNotificationCenter(limits: Self.limits), output: .system,
            registry: .shared, ringTone: .system)
    }

    init(
        configuration: CXProviderConfiguration, center: UserNotificationCenter, output: NotificationOutput,
        registry: ProviderRegistry, ringTone: RingTone
    ) {
        state = Guarded(State(configuration: Self.copy(configuration)))
        (self.center, self.output, self.registry, self.ringTone) = (center, output, registry, ringTone)
        super.init()
        registry.add(self)
    }

    deinit {
        for uuid in state.withLock({ $0.calls.keys }) { ringTone.stop(uuid) }
        Task { [center] in await center.removeAllDeliveredNotifications() }
    }

    /// The limits of calls: five at once, then one more each ten seconds.
    package static let limits = {
        var limits = NotificationLimits()
        limits.burstCount = 5
        limits.refillInterval = .seconds(10)
        return limits
    }()

    private static func copy(_ configuration: CXProviderConfiguration) -> CXProviderConfiguration {
        configuration.copy() as? CXProviderConfiguration ?? configuration
    }

    /// The configuration of how calls are shown.
    open var configuration: CXProviderConfiguration {
        get { Self.copy(state.withLock { $0.configuration }) }
        set { state.withLock { $0.configuration = Self.copy(newValue) } }
    }

    /// Sets the delegate, which is not retained, and the queue on which it is called; nil for the main queue.
    open func setDelegate(_ delegate: (any CXProviderDelegate)?, queue: DispatchQueue?) {
        state.withLock {
            $0.delegate = delegate; $0.queue = queue ?? .main
        }
        tell { $0.providerDidBegin($1) }
    }

    /// The transactions that the delegate has not completed.
    open var pendingTransactions: [CXTransaction] {
        state.withLock { $0.transactions.filter { !$0.isComplete } }
    }

    /// Ends all calls. The provider reports no further calls.
    open func invalidate() {
        let calls = state.withLock { state in
            let calls = state.calls
            (state.calls, state.transactions, state.isValid) = ([:], [], false)
            return calls
        }
        registry.remove(self)
        for uuid in calls.keys { stopRinging(uuid) }
        tell { $0.providerDidReset($1) }
    }
}

extension CXProvider {
    /// Shows an incoming call.
    /// - Parameters:
    ///   - uuid: the identifier of the call, which the app makes.
    ///   - update: the caller.
    ///   - completion: called on the delegate's queue when the call is shown, or with the reason why it is not:
    ///     `CXErrorCodeIncomingCallError`.
    public func reportNewIncomingCall(
        with uuid: UUID, update: CXCallUpdate, completion: @escaping ((any Error)?) -> Void
    ) {
        let (update, completion) = (Unchecked(update.copy() as? CXCallUpdate ?? update), Unchecked(completion))
        Task {
            let failure: (any Error)?
            do {
                try await self.ring(uuid, update.value)
                failure = nil
            } catch {
                failure = error
            }
            self.queue.async { completion.value(failure) }
        }
    }

    /// Shows an incoming call.
    /// - Parameters:
    ///   - uuid: the identifier of the call, which the app makes.
    ///   - update: the caller.
    /// - Throws: `CXErrorCodeIncomingCallError` if the call is not shown.
    public func reportNewIncomingCall(with uuid: UUID, update: CXCallUpdate) async throws {
        try await ring(uuid, update.copy() as? CXCallUpdate ?? update)
    }

    /// Updates the information about a call. A ringing call shows it.
    public func reportCall(with uuid: UUID, updated update: CXCallUpdate) {
        let texts = CallTexts(update, appName: appName)
        let isRinging = state.withLock { state in
            state.calls[uuid]?.texts = texts
            return state.calls[uuid]?.phase == .ringing
        }
        guard isRinging else { return }
        Task { await self.show(uuid) }
    }

    /// Reports that a call ended without the user.
    /// - Parameters:
    ///   - uuid: the identifier of the call.
    ///   - dateEnded: no effect here.
    ///   - endedReason: no effect here.
    public func reportCall(with uuid: UUID, endedAt dateEnded: Date?, reason endedReason: CXCallEndedReason) {
        end(uuid)
    }

    /// Reports that an outgoing call is connecting. No effect here.
    public func reportOutgoingCall(with uuid: UUID, startedConnectingAt dateStartedConnecting: Date?) {}

    /// Reports that an outgoing call was answered.
    /// - Parameters:
    ///   - uuid: the identifier of the call.
    ///   - dateConnected: no effect here.
    public func reportOutgoingCall(with uuid: UUID, connectedAt dateConnected: Date?) {
        state.withLock { $0.calls[uuid]?.phase = .connected }
    }
}

extension CXProvider {
    var queue: DispatchQueue { state.withLock { $0.queue } }
    private var appName: String { state.withLock { $0.configuration.localizedName } ?? center.applicationIdentifier }

    /// Calls the delegate on its queue.
    private func tell(_ body: @escaping @Sendable (any CXProviderDelegate, CXProvider) -> Void) {
        queue.async {
            guard let delegate = self.state.withLock({ $0.delegate }) else { return }
            body(delegate, self)
        }
    }

    private func ring(_ uuid: UUID, _ update: CXCallUpdate) async throws(CXErrorCodeIncomingCallError) {
        let record = CallRecord(texts: CallTexts(update, appName: appName), phase: .ringing)
        if let refusal = state.withLock({ Self.refusal(&$0, uuid, record) }) { throw refusal }
        let isSilent = await startRing(uuid)
        // If the ring tone cannot play here, the desktop may play it.
        await center.requestAuthorization(options: isSilent ? [.alert, .sound] : .alert)
        guard await show(uuid) else {
            end(uuid)
            throw CXErrorCodeIncomingCallError(.unknown, "Too many calls came in a short time. This one is not shown.")
        }
    }

    /// - Returns: whether the ring tone cannot play here.
    private func startRing(_ uuid: UUID) async -> Bool {
        let sound = state.withLock { $0.configuration.sound }
        let problem = await ringTone.start(uuid, sound)
        // The call may have ended meanwhile.
        if state.withLock({ $0.calls[uuid]?.phase }) != .ringing { ringTone.stop(uuid) }
        if let problem { center.warn("the ring tone is left to the desktop: \(problem)") }
        return problem != nil
    }

    /// Adds a call, or returns why it cannot be added.
    private static func refusal(
        _ state: inout State, _ uuid: UUID, _ record: CallRecord
    ) -> CXErrorCodeIncomingCallError? {
        guard state.isValid else { return .init(.unknown, "The provider is invalidated.") }
        guard state.calls[uuid] == nil else {
            return .init(.callUUIDAlreadyExists, "There is a call with the identifier \(uuid).")
        }
        guard state.calls.count < state.configuration.maximumCallCount else {
            return .init(.unknown, "There are \(state.calls.count) calls, as many as the configuration allows.")
        }
        state.calls[uuid] = record
        return nil
    }

    /// Shows a ringing call, and waits for the user's click in a task of its own.
    /// - Returns: whether the user can see it; also true if the call ended meanwhile.
    @discardableResult
    private func show(_ uuid: UUID) async -> Bool {
        guard
            let (content, texts) = state.withLock({ state in
                state.calls[uuid].flatMap { call in
                    call.phase == .ringing ? (call.texts.content(state.configuration.sound), call.texts) : nil
                }
            })
        else { return true }
        let request = NotificationRequest(identifier: uuid.uuidString, content: content)
        let delivered: DeliveredNotification
        do {
            delivered = try await center.add(request)
        } catch {
            return false
        }
        // The call may have ended before the desktop showed the notification.
        guard state.withLock({ $0.calls[uuid]?.phase }) == .ringing else {
            await center.removeDeliveredNotifications(withIdentifiers: [uuid.uuidString])
            return true
        }
        if case .standardError = delivered.place {
            output.standardError(
                "earshot: \(texts.title) calls. No desktop shows it: answer or decline in the app \(texts.appName).")
            return true
        }
        Task { [weak self] in
            for await event in delivered.events {
                guard let self else { return }
                await self.take(event, of: uuid)
            }
        }
        return true
    }

    private func take(_ event: NotificationEvent, of uuid: UUID) async {
        guard state.withLock({ $0.calls[uuid]?.phase }) == .ringing else { return }
        switch event {
        // dunst offers only a click on the notification itself, unless another program shows a menu.
        case .action(identifier: CallTexts.answer), .action(identifier: NotificationAction.defaultIdentifier):
            request(CXTransaction(action: CXAnswerCallAction(call: uuid)))
        case .action(identifier: CallTexts.decline): request(CXTransaction(action: CXEndCallAction(call: uuid)))
        case .closed(.expired), .closed(.serviceLeft), .closed(.unknown): await show(uuid)
        case .closed(.dismissed): ringTone.stop(uuid)
        case .action, .activationToken, .closed: break
        }
    }

    /// Forgets a call, and closes its notification.
    func end(_ uuid: UUID) {
        guard state.withLock({ $0.calls.removeValue(forKey: uuid) }) != nil else { return }
        stopRinging(uuid)
    }

    /// Stops the ringing of a call, and closes its notification if there is one.
    func stopRinging(_ uuid: UUID) {
        ringTone.stop(uuid)
        Task { [center] in await center.removeDeliveredNotifications(withIdentifiers: [uuid.uuidString]) }
    }
}
