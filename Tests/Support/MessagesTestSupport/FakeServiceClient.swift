import EarshotCoding
import EarshotMessages
import Foundation
import NearbyWire
import Synchronization

/// The access of one device to a `FakeService`.
struct FakeServiceClient: MessageService {
    let service: FakeService
    let key: String

    func openSession() async throws(ServiceFailure) -> ServiceSession {
        try await request("open") { state throws(ServiceFailure) in
            guard let project = state.keys[key] else {
                throw .refused(status: 401, code: "bad_key", retryAfter: nil)
            }
            state.nextID += 1
            let secret = "session-\(state.nextID)"
            state.sessions[secret] = project
            return ServiceSession(secret: secret)
        }
    }

    func end(_ session: ServiceSession) async throws(ServiceFailure) {
        try await request("end", in: session) { state throws(ServiceFailure) in
            state.sessions[session.secret] = nil
            state.things.removeAll { $0.device == session.secret }
            service.match(&state)
        }
    }

    func register(
        _ order: ServiceOrder, timeToLive: Duration, idempotencyKey: String, in session: ServiceSession
    ) async throws(ServiceFailure) -> Registration {
        let kind: RegistrationName.Kind
        if case .publication = order { kind = .publication } else { kind = .subscription }
        return try await request("register \(kind)", in: session) { state throws(ServiceFailure) in
            if let known = state.things.firstIndex(where: {
                $0.idempotencyKey == idempotencyKey && $0.device == session.secret
            }) {
                guard state.things[known].order == order else {
                    throw .refused(status: 409, code: "repeat_differs", retryAfter: nil)
                }
                return registration(&state, known, timeToLive)
            }
            state.nextID += 1
            let thing = FakeService.Thing(
                name: RegistrationName(kind, "id\(state.nextID)"), order: order, device: session.secret,
                project: state.sessions[session.secret] ?? "", idempotencyKey: idempotencyKey, tokens: [])
            state.things.append(thing)
            let registration = registration(&state, state.things.count - 1, timeToLive)
            service.match(&state)
            return registration
        }
    }

    func renew(
        _ name: RegistrationName, timeToLive: Duration, in session: ServiceSession
    ) async throws(ServiceFailure) -> Registration {
        try await request("renew", in: session) { state throws(ServiceFailure) in
            guard
                let known = state.things.firstIndex(where: { $0.name == name && $0.device == session.secret })
            else { throw .refused(status: 404, code: "no_such_\(name.kind)", retryAfter: nil) }
            return registration(&state, known, timeToLive)
        }
    }

    func withdraw(_ name: RegistrationName, in session: ServiceSession) async throws(ServiceFailure) {
        try await request("withdraw", in: session) { state throws(ServiceFailure) in
            state.things.removeAll { $0.name == name && $0.device == session.secret }
            service.match(&state)
        }
    }

    func report(
        _ report: SightingReport, in session: ServiceSession
    ) async throws(ServiceFailure) -> [Payload: TokenStatus] {
        try await request("report +\(report.heard.count) -\(report.lost.count)", in: session) {
            state throws(ServiceFailure) in
            let project = state.sessions[session.secret]
            var statuses: [Payload: TokenStatus] = [:]
            state.ages += report.heard.compactMap { report.ages[$0] }
            for token in report.lost { state.heard[session.secret]?[token] = nil }
            for token in report.heard {
                let known = state.things.filter { $0.project == project }.flatMap(\.tokens).first { $0.token == token }
                statuses[token] = known.map { $0.expiresAt > .now ? .valid : .expired } ?? .invalid
                if statuses[token] == .valid { state.heard[session.secret, default: [:]][token] = .now }
            }
            service.match(&state)
            return statuses
        }
    }

    func lookUp(
        _ beacons: [BeaconIdentifier], _ filter: AttachmentFilter, in session: ServiceSession
    ) async throws(ServiceFailure) -> [BeaconIdentifier: [BeaconAttachment]] {
        try await request("look up \(beacons.count)", in: session) { state throws(ServiceFailure) in
            let project = state.sessions[session.secret]
            state.lookedUp += beacons
            var answer: [BeaconIdentifier: [BeaconAttachment]] = [:]
            for entry in state.attachments where beacons.contains(entry.beacon) {
                let message = entry.attachment.message
                let isVisible = entry.project == project || entry.isPublic && !filter.namespace.isEmpty
                guard isVisible, filter.namespace.isEmpty || filter.namespace == message.namespace,
                    filter.type.isEmpty || filter.type == message.type
                else { continue }
                answer[entry.beacon, default: []].append(entry.attachment)
            }
            return answer
        }
    }

    func events(
        in session: ServiceSession, after lastEventID: String?
    ) -> AsyncThrowingStream<ServiceEvent, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: ServiceEvent.self)
        let id = service.state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        continuation.onTermination = { _ in service.state.withLock { _ = $0.streams.removeValue(forKey: id) } }
        Task {
            do throws(ServiceFailure) {
                try await request("events", in: session) { state throws(ServiceFailure) in
                    let last = lastEventID.flatMap { Int($0) }
                    let opened = FakeService.Stream(
                        device: session.secret, last: last ?? 0, continuation: continuation)
                    state.streams[id] = opened
                    state.outbox.append((opened, .ready(isResumed: last != nil)))
                    service.write(&state, id, isSnapshot: last == nil)
                }
            } catch { continuation.finish(throwing: error) }
        }
        return stream
    }

    private func registration(
        _ state: inout FakeService.State, _ index: Int, _ timeToLive: Duration
    ) -> Registration {
        let now = ContinuousClock.now
        // A token rotates at half its life.
        if let latest = state.things[index].tokens.last, latest.expiresAt - service.tokenLifetime / 2 > now {
        } else {
            let token = service.token(&state)
            state.things[index].tokens.append((token, now + service.tokenLifetime))
        }
        guard let latest = state.things[index].tokens.last else { preconditionFailure("a token was appended") }
        return Registration(
            name: state.things[index].name, expiresIn: timeToLive, token: latest.token,
            tokenExpiresIn: latest.expiresAt - now, rotateIn: latest.expiresAt - service.tokenLifetime / 2 - now)
    }

    /// Applies the behaviour of the service to a request.
    private func request<Answer: Sendable>(
        _ what: String, in session: ServiceSession? = nil,
        _ answer: (inout FakeService.State) throws(ServiceFailure) -> Answer
    ) async throws(ServiceFailure) -> Answer {
        let mood = service.state.withLock { state in
            state.requests.append(what)
            return state.mood
        }
        switch mood {
        case .down: throw .unreachable("it refuses connections")
        case .invalid: throw .invalid("it says moo")
        case .refusing(let status, let code, let retryAfter):
            throw .refused(status: status, code: code, retryAfter: retryAfter)
        case .slow(let pause):
            do { try await Task.sleep(for: pause) } catch { throw .unreachable("cancelled") }
        case .deaf where what.hasPrefix("report"): throw .unreachable("it refuses connections")
        case .well, .deaf, .mute: break
        }
        let result = service.transaction { state -> Result<Answer, ServiceFailure> in
            if let session, state.sessions[session.secret] == nil { return .failure(.badSession) }
            do throws(ServiceFailure) { return .success(try answer(&state)) } catch { return .failure(error) }
        }
        if mood == .mute { throw .unreachable("it does not answer in time") }
        return try result.get()
    }
}
