import FoundationEssentials
import HTTPTypes
import Hummingbird
import Logging
import NearbyWire

/// The endpoints of the public listener: version 1 below `/v1`, and the health.
struct API: Sendable {
    let service: TokenService
    /// Whether requests come from other nodes.
    var isBehindNodes = false

    private var limits: ServiceLimits { service.limits }
    var browsers: BrowserSettings { service.browsers(isBehindNodes: isBehindNodes) }

    var endpoints: [Endpoint] {
        let pages = (sessions + publications + subscriptions + nearby).map(\.forBrowsers)
        return [Operations.health(service), document] + pages + lookUps + beacons + namespaces
    }

    private var document: Endpoint {
        Endpoint(.get, "/v1/openapi.json") { _, _ in .text(OpenAPI.document, type: "application/json") }
    }

    private var nearby: [Endpoint] {
        [
            Endpoint(.post, "/v1/sightings", session(report)),
            Endpoint(
                .get, EventStream.path,
                { request, context in
                    let session = try await service.session(
                        secret: try request.bearer(), from: browsers.source(of: request, context))
                    return try await EventStream(service: service, session: session, channel: context.channel).response(
                        to: request)
                }),
        ]
    }

    private var sessions: [Endpoint] {
        [
            Endpoint(.post, "/v1/devices") { request, context in
                let order = try await request.decode(SessionOrderBody.self, upTo: limits.bodyBytes)
                let (session, secret) = try await service.openSession(
                    key: try request.bearer(), canSeal: order.sealing?.contains(Double(Sealing.version)) ?? false,
                    from: browsers.source(of: request, context))
                return try .json(
                    SessionBody(session, secret: secret, limits: limits, now: service.now), status: .created)
            },
            Endpoint(
                .get, "/v1/device",
                session { _, session, _ in
                    try .json(
                        DeviceBody(
                            device: session.identifier,
                            expiresInSeconds: service.now.seconds(until: session.expires)))
                }),
            Endpoint(
                .delete, "/v1/device",
                session { _, session, _ in
                    try await service.endSession(session)
                    return .nothing
                }),
        ]
    }

    private var publications: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/publications",
                session { request, session, _ in
                    let order = try await request.decode(PublicationOrderBody.self, upTo: limits.bodyBytes)
                    let message = Message(
                        namespace: order.namespace ?? "", type: order.type ?? "", content: order.content)
                    let outcome = try await service.publish(
                        message, for: session, timeToLive: order.timeToLive?.duration,
                        idempotencyKey: order.idempotencyKey, token: order.token)
                    return try .json(
                        RegistrationBody(outcome.value, token: token(outcome.token), now: service.now),
                        status: outcome.isNew ? .created : .ok)
                }),
            Endpoint(
                .get, "/v1/publications",
                session { _, session, _ in
                    let now = service.now
                    let all = try await service.store.publications(of: session, now: now)
                    return try .json(PublicationListBody(publications: all.map { RegistrationBody($0, now: now) }))
                }),
            Endpoint(
                .put, "/v1/publications/{id}",
                session { request, session, id in
                    let order = try await request.decode(RenewalBody.self, upTo: limits.bodyBytes)
                    let (publication, issued) = try await service.renewPublication(
                        id, for: session, timeToLive: order.timeToLive?.duration, token: order.token)
                    return try .json(RegistrationBody(publication, token: token(issued), now: service.now))
                }),
            Endpoint(
                .delete, "/v1/publications/{id}",
                session { _, session, id in
                    try await service.unpublish(id, for: session)
                    return .nothing
                }),
        ]
    }

    private var subscriptions: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/subscriptions",
                session { request, session, _ in
                    let order = try await request.decode(SubscriptionOrderBody.self, upTo: limits.bodyBytes)
                    let outcome = try await service.subscribe(
                        MessageFilter(namespace: order.namespace ?? "", type: order.type ?? ""), for: session,
                        timeToLive: order.timeToLive?.duration,
                        idempotencyKey: order.idempotencyKey, token: order.token)
                    return try .json(
                        RegistrationBody(outcome.value, token: token(outcome.token), now: service.now),
                        status: outcome.isNew ? .created : .ok)
                }),
            Endpoint(
                .get, "/v1/subscriptions",
                session { _, session, _ in
                    let now = service.now
                    let all = try await service.store.subscriptions(of: session, now: now)
                    return try .json(
                        SubscriptionListBody(subscriptions: all.map { RegistrationBody($0, now: now) }))
                }),
            Endpoint(
                .put, "/v1/subscriptions/{id}",
                session { request, session, id in
                    let order = try await request.decode(RenewalBody.self, upTo: limits.bodyBytes)
                    let (subscription, issued) = try await service.renewSubscription(
                        id, for: session, timeToLive: order.timeToLive?.duration, token: order.token)
                    return try .json(RegistrationBody(subscription, token: token(issued), now: service.now))
                }),
            Endpoint(
                .delete, "/v1/subscriptions/{id}",
                session { _, session, id in
                    try await service.unsubscribe(id, for: session)
                    return .nothing
                }),
        ]
    }

    @Sendable private func report(_ request: Request, _ session: Session, _: String) async throws -> Response {
        let body = try await request.decode(SightingsBody.self, upTo: limits.bodyBytes)
        let (heard, lost) = (body.heard ?? [], body.lost ?? [])
        let answer = try await service.report(
            heard: heard.map(HeardToken.init), lost: lost.map(Data.init(token:)), keys: body.keys ?? [], for: session)
        func entries(_ tokens: [String], _ statuses: [TokenStatus]) -> [SightingsAnswerBody.Entry] {
            zip(tokens, statuses).map { SightingsAnswerBody.Entry(token: $0, status: $1) }
        }
        let answerBody = SightingsAnswerBody(
            heard: entries(heard.map(\.token), answer.heard), lost: entries(lost, answer.lost))
        return .json(try answerBody.json())
    }

    /// An answer that needs a device session. The text is the `{id}` of the path, empty if it has none.
    /// - Parameter isForBrowsers: whether a session of a browser key suffices.
    func session(
        isForBrowsers: Bool = true,
        _ answer: @escaping @Sendable (Request, Session, String) async throws -> Response
    ) -> @Sendable (Request, ServiceContext) async throws -> Response {
        { request, context in
            let session = try await service.session(
                secret: try request.bearer(), from: browsers.source(of: request, context))
            do {
                guard isForBrowsers || session.origins == nil else { throw Problem.notForBrowsers }
                return try await answer(request, session, context.parameters.get("id") ?? "")
            } catch let problem as Problem {
                // Numbers from the operator's lists; they are not secret.
                context.logger.debug(
                    "refused",
                    metadata: [
                        "code": "\(problem.code)", "key": "\(session.key)", "device": "\(session.device)",
                    ])
                throw problem
            }
        }
    }

    private func token(_ token: IssuedToken) -> TokenBody {
        TokenBody(token, limits: limits, now: service.now)
    }
}
