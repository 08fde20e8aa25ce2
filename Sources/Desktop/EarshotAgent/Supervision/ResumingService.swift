import EarshotCoding
import EarshotMessages
import EarshotSealing
import NearbyWire
import Synchronization

/// The service for one key, with a memory: a new process of the agent continues the session and the registrations of
/// the last one. So other devices do not notice a restart.
///
/// It returns the remembered session instead of a new one, and replaces the manager's idempotency keys by those of the
/// existing registrations. The service answers with the same registrations as before, or creates new ones if they have
/// ended.
final class ResumingService: MessageService {
    private struct State {
        var memory: AppState.Session
        /// Whether the remembered session has been used.
        var isUsed = false
        /// The slot of each idempotency key of the manager.
        var slots: [String: String] = [:]
        var counts: [ServiceOrder: Int] = [:]
        var slotsByName: [RegistrationName: String] = [:]
    }

    private let service: any MessageService
    private let state: Mutex<State>
    private let save: @Sendable (AppState.Session) -> Void

    /// - Parameters:
    ///   - memory: the last session; its secret is empty if there is none.
    ///   - save: receives each change of the memory.
    init(
        _ service: any MessageService, memory: AppState.Session, save: @escaping @Sendable (AppState.Session) -> Void
    ) {
        self.service = service
        state = Mutex(State(memory: memory))
        self.save = save
    }

    func openSession() async throws(ServiceFailure) -> ServiceSession {
        let remembered = state.withLock { state -> ServiceSession? in
            defer { state.isUsed = true }
            guard !state.isUsed, !state.memory.secret.isEmpty else { return nil }
            return ServiceSession(
                secret: state.memory.secret, sealing: state.memory.sealing.flatMap(DeviceSealing.init))
        }
        if let remembered { return remembered }
        let session = try await service.openSession()
        change { state in
            state.memory.secret = session.secret
            state.memory.sealing = session.sealing?.stored
            state.memory.idempotencyKeys = [:]
            (state.slots, state.counts, state.slotsByName) = ([:], [:], [:])
        }
        return session
    }

    func end(_ session: ServiceSession) async throws(ServiceFailure) { try await service.end(session) }

    func register(
        _ order: ServiceOrder, timeToLive: Duration, idempotencyKey: String, in session: ServiceSession
    ) async throws(ServiceFailure) -> Registration {
        let (slot, key) = remember(idempotencyKey, for: order)
        let registration = try await service.register(
            order, timeToLive: timeToLive, idempotencyKey: key, in: session)
        state.withLock { $0.slotsByName[registration.name] = slot }
        return registration
    }

    func renew(
        _ name: RegistrationName, timeToLive: Duration, in session: ServiceSession
    ) async throws(ServiceFailure) -> Registration {
        try await service.renew(name, timeToLive: timeToLive, in: session)
    }

    func withdraw(_ name: RegistrationName, in session: ServiceSession) async throws(ServiceFailure) {
        change { state in
            if let slot = state.slotsByName.removeValue(forKey: name) { state.memory.idempotencyKeys[slot] = nil }
        }
        try await service.withdraw(name, in: session)
    }

    func report(
        _ report: SightingReport, in session: ServiceSession
    ) async throws(ServiceFailure) -> [Payload: TokenStatus] {
        try await service.report(report, in: session)
    }

    func lookUp(
        _ beacons: [BeaconIdentifier], _ filter: AttachmentFilter, in session: ServiceSession
    ) async throws(ServiceFailure) -> [BeaconIdentifier: [BeaconAttachment]] {
        try await service.lookUp(beacons, filter, in: session)
    }

    func events(
        in session: ServiceSession, after lastEventID: String?
    ) -> AsyncThrowingStream<ServiceEvent, any Error> {
        service.events(in: session, after: lastEventID)
    }

    /// The slot and the key of a registration. Equal orders have separate slots, in the order of their arrival.
    private func remember(_ key: String, for order: ServiceOrder) -> (slot: String, key: String) {
        change { state in
            if let slot = state.slots[key] { return (slot, state.memory.idempotencyKeys[slot] ?? key) }
            let count = state.counts[order, default: 0] + 1
            state.counts[order] = count
            let slot = "\(order.slotName)-\(count)"
            state.slots[key] = slot
            let known = state.memory.idempotencyKeys[slot]
            state.memory.idempotencyKeys[slot] = known ?? key
            return (slot, known ?? key)
        }
    }

    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, news) = state.withLock { state in
            let before = state.memory
            let result = body(&state)
            return (result, state.memory == before ? nil : state.memory)
        }
        if let news { save(news) }
        return result
    }
}

extension ServiceOrder {
    /// The name of an order's slot, the same in each process.
    fileprivate var slotName: String {
        let operation =
            switch self {
            case .publication(let message):
                BackgroundOperation(
                    key: "", service: "", content: message.content, type: message.type, namespace: message.namespace)
            case .subscription(let namespace, let type):
                BackgroundOperation(key: "", service: "", type: type, namespace: namespace)
            }
        return operation.id
    }
}
