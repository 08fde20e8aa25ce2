import HTTPTypes
import Hummingbird
import Logging

/// Turns every thrown error into a problem with a body and counts it.
struct ProblemMiddleware: RouterMiddleware {
    let service: TokenService
    /// Whether requests come from other nodes.
    var isBehindNodes = false
    let endpoints: [Endpoint]

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        do {
            try request.requireClearFraming()
            return try await next(request, context)
        } catch {
            var problem = problem(for: error, of: request, context)
            if problem.status == .unauthorized,
                let client = service.browsers(isBehindNodes: isBehindNodes).client(of: request, context)
            {
                problem = service.tooManyFailures(of: client) ?? problem
            }
            service.metrics.add(to: .problems, "code=\"\(problem.code)\"")
            // The client's connection waits too, which slows a flood on few connections down.
            if problem.isRateLimited { try? await Task.sleep(for: service.settings.read(\.limits.refusalDelay)) }
            var response = problem.response
            // The answer to HEAD has no body: a client would take it for the next answer.
            if request.method == .head { response.body = ResponseBody() }
            return response
        }
    }

    private var noSuchPath: Problem {
        let paths = endpoints.map(\.path)
        return paths.contains("/v1/openapi.json") ? .noSuchPath : .noSuchPath(among: paths)
    }

    private func problem(for error: any Error, of request: Request, _ context: ServiceContext) -> Problem {
        switch error {
        case let problem as Problem: return problem == .noSuchPath ? noSuchPath : problem
        case is RequestGuard.TooSlow: return .requestTooSlow
        case let error as HTTPError where error.status == .notFound:
            let allowed = endpoints.filter { $0.has(path: request.uri.path) }.map(\.method.rawValue).sorted()
            return allowed.isEmpty
                ? noSuchPath : .methodNotAllowed(allowed, isDescribed: request.uri.path.hasPrefix("/v1/"))
        default:
            if let problem = Problem(malformed: error) { return problem }
            // The type only, because an error of the database may quote its input.
            context.logger.error("request failed", metadata: ["error": "\(type(of: error))"])
            if let error = error as? any StoreFailure {
                context.logger.error("store failed", metadata: ["reason": "\(error.reason)"])
            }
            return .internalError
        }
    }
}

/// Accepts one form of each path. The router ignores empty parts, so `//metrics` and `/metrics/` would evade rules of a
/// proxy or of another part of the service for `/metrics`.
struct PathFormMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        let path = (request.head.path ?? "/").prefix { $0 != "?" }
        guard !path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).contains("") else {
            throw Problem.noSuchPath
        }
        return try await next(request, context)
    }
}

/// Counts and logs each request: method, path template, status and time. It does not record the path as sent, headers
/// or bodies.
struct ObservationMiddleware: RouterMiddleware {
    let metrics: Metrics

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let path = context.endpointPath ?? "NotFound"
        metrics.add(to: .requests, "method=\"\(method(request))\",path=\"\(path)\",status=\"\(response.status.code)\"")
        if path != EventStream.path { metrics.took(seconds, path: path) }
        context.logger.debug(
            "answered",
            metadata: [
                "method": "\(method(request))", "path": "\(path)", "status": "\(response.status.code)",
                "ms": "\(Int(seconds * 1_000))",
            ])
        return response
    }

    /// The method's name, or one name for all unknown methods: otherwise each method that a client invents would be a
    /// new series.
    private func method(_ request: Request) -> String {
        let known: [HTTPRequest.Method] = [.get, .post, .put, .delete, .head, .options, .patch]
        return known.contains(request.method) ? request.method.rawValue : "other"
    }
}
