import EarshotCoding
import EarshotSealing
import Foundation
import FoundationNetworking
import NearbyWire
import Synchronization

/// The client of `earshotd` over HTTP. Each request is limited in time, each answer in size.
final class HTTPMessageService: MessageService {
    /// The maximum size of an answer. The statuses of a hundred tokens take 6 KiB.
    static let maximumAnswerCount = 65_536
    /// The maximum size of an answer about beacons: 50 beacons with 16 attachments each take 1.6 MB.
    static let maximumLookUpAnswerCount = 2 << 20

    private let base: String
    private let key: String
    private let refusal: String?
    private let pace: MessageManager.Pace
    private let desk = SealingDesk()
    private let begin = ContinuousClock.now
    private let transport: HTTPTransport
    private let session: URLSession
    /// The transport of the event stream, with one connection.
    private let streamTransport: HTTPTransport
    private let streamSession: URLSession

    /// A client that has not sent a request yet.
    /// - Parameters:
    ///   - url: the address without `/v1`.
    ///   - refusal: why the address is not the one that the user asked for. No session opens then, so nothing is sent:
    ///     another address would receive the key and the messages.
    init(url: URL, key: String, pace: MessageManager.Pace, refusal: String? = nil) {
        self.refusal = refusal
        var text = url.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        base = text
        self.key = key
        self.pace = pace
        (session, transport) = HTTPTransport.session(idleTimeout: pace.streamTimeout)
        (streamSession, streamTransport) = HTTPTransport.session(
            idleTimeout: pace.streamTimeout, connectionCount: 1)
    }

    deinit {
        transport.close(session)
        streamTransport.close(streamSession)
    }

    func openSession() async throws(ServiceFailure) -> ServiceSession {
        if let refusal { throw .misconfigured(refusal) }
        // The key becomes part of a header.
        guard key.isPlain(upTo: 512) else { throw .malformedKey }
        let order = try json(SessionOrderBody(sealing: [Sealing.version]))
        let opened = try await ask(SessionBody.self, "POST", "/v1/devices", key, order)
        guard opened.session.isPlain(upTo: 512) else { throw .invalid("it sends an invalid session") }
        guard let terms = opened.terms?.sealing else { return ServiceSession(secret: opened.session) }
        guard let sealing = DeviceSealing(terms) else {
            throw .invalid("it asks for a sealing that this program does not know")
        }
        return ServiceSession(secret: opened.session, sealing: sealing)
    }

    func end(_ session: ServiceSession) async throws(ServiceFailure) {
        _ = try await send("DELETE", "/v1/device", session.secret)
    }

    func register(
        _ order: ServiceOrder, timeToLive: Duration, idempotencyKey: String, in session: ServiceSession
    ) async throws(ServiceFailure) -> Registration {
        let draft = desk.draft(order, name: idempotencyKey, in: session)
        let (kind, body): (RegistrationName.Kind, any Encodable) =
            switch draft?.order ?? order {
            case .publication(let message):
                (
                    .publication,
                    PublicationOrderBody(
                        namespace: message.namespace, type: message.type, content: message.content,
                        timeToLive: timeToLive, idempotencyKey: idempotencyKey, token: draft?.offer)
                )
            case .subscription(let namespace, let type):
                (
                    .subscription,
                    SubscriptionOrderBody(
                        namespace: namespace, type: type, timeToLive: timeToLive, idempotencyKey: idempotencyKey,
                        token: draft?.offer)
                )
            }
        let answer = try await registration(kind, "POST", kind.path, try json(body), session)
        return try desk.confirmed(answer, draft, in: session)
    }

    func renew(
        _ name: RegistrationName, timeToLive: Duration, in session: ServiceSession
    ) async throws(ServiceFailure) -> Registration {
        let body = try json(RenewalBody(timeToLive: timeToLive, token: desk.offer(for: name, in: session)))
        let renewed = try await registration(name.kind, "PUT", "\(name.kind.path)/\(name.id)", body, session)
        guard renewed.name == name else { throw .invalid("it renewed another registration") }
        return try desk.confirmed(renewed, nil, in: session)
    }

    func withdraw(_ name: RegistrationName, in session: ServiceSession) async throws(ServiceFailure) {
        desk.forget(name, in: session)
        _ = try await send("DELETE", "\(name.kind.path)/\(name.id)", session.secret)
    }

    func report(
        _ report: SightingReport, in session: ServiceSession
    ) async throws(ServiceFailure) -> [Payload: TokenStatus] {
        let bodies = desk.bodies(report, in: session, nowSeconds: begin.duration(to: .now) / .seconds(1))
        let body = try json(bodies[0])
        let answer = try await ask(SightingsAnswerBody.self, "POST", "/v1/sightings", session.secret, body)
        var statuses: [Payload: TokenStatus] = [:]
        for entry in answer.heard {
            guard let token = Payload(serviceToken: entry.token) else { continue }
            statuses[token] = TokenStatus(rawValue: entry.status)
        }
        // Keys alone. If that fails, the next report has them.
        for body in bodies.dropFirst() { _ = try? await send("POST", "/v1/sightings", session.secret, try json(body)) }
        return desk.statuses(statuses, in: session)
    }

    func lookUp(
        _ beacons: [BeaconIdentifier], _ filter: AttachmentFilter, in session: ServiceSession
    ) async throws(ServiceFailure) -> [BeaconIdentifier: [BeaconAttachment]] {
        let body = try json(LookUpBody(beacons: beacons, namespace: filter.namespace, type: filter.type))
        let answer = try await ask(
            LookUpAnswerBody.self, "POST", "/v1/lookups", session.secret, body,
            upTo: Self.maximumLookUpAnswerCount)
        let asked = Set(beacons)
        var attachments: [BeaconIdentifier: [BeaconAttachment]] = [:]
        for entry in answer.attachments {
            guard entry.id.isIdentifier(upTo: 128), let beacon = try? BeaconIdentifier(text: entry.beacon),
                asked.contains(beacon)
            else { continue }
            let message = Message(content: entry.data, type: entry.type, namespace: entry.namespace)
            attachments[beacon, default: []].append(BeaconAttachment(id: entry.id, message: message))
        }
        return attachments
    }

    func events(
        in session: ServiceSession, after lastEventID: String?
    ) -> AsyncThrowingStream<ServiceEvent, any Error> {
        guard var request = try? request("GET", "/v1/events", session.secret, nil),
            let opening = try? self.request("HEAD", "/v1/events", session.secret, nil)
        else {
            return AsyncThrowingStream { $0.finish(throwing: ServiceFailure.unreachable("its address is not a URL")) }
        }
        request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
        request.setValue(lastEventID, forHTTPHeaderField: "Last-Event-ID")
        request.timeoutInterval = pace.streamTimeout / .seconds(1)
        // The first request of a connection must be short; its answer does not matter. While libcurl connects, it asks
        // Foundation to report when it may write, and Foundation on Linux repeats that until the request ends: an event
        // stream would keep a whole processor busy.
        let open = { @Sendable [streamTransport, streamSession, request] () async throws -> HTTPTransport.Stream in
            for try await _ in streamTransport.pieces(of: opening, by: streamSession) {}
            return streamTransport.pieces(of: request, by: streamSession)
        }
        return EventReader.events(open, silence: pace.streamTimeout, keeping: self) { [desk] event, keys in
            desk.opened(event, keys: keys, in: session)
        }
    }

    // MARK: Requests

    private func registration(
        _ kind: RegistrationName.Kind, _ method: String, _ path: String, _ body: Data, _ session: ServiceSession
    ) async throws(ServiceFailure) -> Registration {
        let answer = try await ask(RegistrationBody.self, method, path, session.secret, body)
        guard answer.id.isIdentifier(upTo: 128) else { throw .invalid("it sends an invalid id") }
        guard let current = answer.token, let token = Payload(serviceToken: current.token) else {
            throw .invalid("it sends no token of 16 digits")
        }
        return Registration(
            name: RegistrationName(kind, answer.id), expiresIn: .seconds(answer.expiresInSeconds), token: token,
            tokenExpiresIn: .seconds(current.expiresInSeconds), rotateIn: .seconds(current.rotateInSeconds))
    }

    private func ask<Answer: Decodable>(
        _: Answer.Type, _ method: String, _ path: String, _ secret: String, _ body: Data? = nil,
        upTo limit: Int = HTTPMessageService.maximumAnswerCount
    ) async throws(ServiceFailure) -> Answer {
        let answer = try await send(method, path, secret, body, upTo: limit)
        guard let answer = try? JSONDecoder().decode(Answer.self, from: answer) else {
            throw .invalid("its answer to \(method) is not the expected JSON")
        }
        return answer
    }

    /// Sends one request.
    /// - Returns: the body of a successful answer.
    private func send(
        _ method: String, _ path: String, _ secret: String, _ body: Data? = nil,
        upTo maximumCount: Int = HTTPMessageService.maximumAnswerCount
    ) async throws(ServiceFailure) -> Data {
        let pieces = transport.pieces(of: try request(method, path, secret, body), by: session)
        let limit = pace.requestTimeout
        let reading = Task { () async -> Result<Data, ServiceFailure> in
            await ServiceAnswer.read(pieces, upTo: maximumCount)
        }
        let timer = Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            reading.cancel()
        }
        let answer = await withTaskCancellationHandler {
            await reading.value
        } onCancel: {
            reading.cancel()
        }
        timer.cancel()
        return try answer.get()
    }

    private func request(
        _ method: String, _ path: String, _ secret: String, _ body: Data?
    ) throws(ServiceFailure) -> URLRequest {
        guard let url = URL(string: base + path) else { throw .unreachable("its address is not a URL") }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.timeoutInterval = pace.requestTimeout / .seconds(1)
        request.httpShouldHandleCookies = false
        request.setValue("Bearer \(secret)", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if let body {
            request.httpBody = body
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        return request
    }

    private func json(_ value: some Encodable) throws(ServiceFailure) -> Data {
        do { return try JSONEncoder().encode(value) } catch {
            throw .refused(status: 400, code: "bad_body", retryAfter: nil)
        }
    }
}

extension RegistrationName.Kind {
    fileprivate var path: String { self == .publication ? "/v1/publications" : "/v1/subscriptions" }
}
