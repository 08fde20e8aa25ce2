import HTTPTypes
import Hummingbird
import Synchronization

/// The origins that any browser key allows.
///
/// Anyone may send a request with an origin, so the result of a query is reused for a second.
final class OriginList: Sendable {
    private struct Look {
        let begun: ContinuousClock.Instant
        let origins: Task<Set<String>, Never>
    }

    private static let lifetime = Duration.seconds(1)
    private let store: any Store
    private let latest = Mutex<Look?>(nil)

    init(_ store: any Store) { self.store = store }

    func contains(_ origin: String) async -> Bool {
        let now = ContinuousClock.now
        let look = latest.withLock { latest in
            if let latest, now - latest.begun < Self.lifetime { return latest }
            let before = latest?.origins
            let look = Look(
                begun: now,
                origins: Task { [store] in
                    // A page must be able to read the answer that the database is unreachable.
                    if let origins = try? await store.browserOrigins() { return origins }
                    return await before?.value ?? []
                })
            latest = look
            return look
        }
        return await look.origins.value.contains(origin)
    }
}

/// Lets pages of allowed origins read the answers of the API, including refusals.
struct CrossOriginMiddleware: RouterMiddleware {
    let origins: OriginList

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard request.uri.path.hasPrefix("/v1/") else { return response }
        // A cache must not give one page the answer to another.
        response.headers[.vary] = "Origin"
        if let origin = request.headers[.origin], await origins.contains(origin) {
            response.headers[.accessControlAllowOrigin] = origin
            response.headers[.accessControlExposeHeaders] = "Retry-After"
        }
        return response
    }
}

/// Answers a browser's preflight request, which has no key: may the page send this request?
struct PreflightMiddleware: RouterMiddleware {
    let origins: OriginList
    let endpoints: [Endpoint]
    /// Browsers cache an answer for at most two hours, some of them for ten minutes.
    private static let lifetimeSeconds = 600

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        let endpoints = endpoints.filter { $0.isForBrowsers && $0.has(path: request.uri.path) }
        guard request.method == .options, request.headers[.accessControlRequestMethod] != nil,
            let origin = request.headers[.origin], let path = endpoints.first?.path
        else { return try await next(request, context) }
        context.coreContext.endpointPath.value = path
        guard await origins.contains(origin) else { throw Problem.originNotAllowed }
        return Response(
            status: .noContent,
            headers: [
                .accessControlAllowMethods: endpoints.map(\.method.rawValue).sorted().joined(separator: ", "),
                .accessControlAllowHeaders: "Authorization, Content-Type, Last-Event-ID",
                .accessControlMaxAge: "\(Self.lifetimeSeconds)",
            ])
    }
}
