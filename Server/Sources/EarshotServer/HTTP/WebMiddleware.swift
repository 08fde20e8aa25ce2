import HTTPTypes
import Hummingbird

/// Serves the files of the web page, if there is one, beside the API and without a key.
struct WebMiddleware: RouterMiddleware {
    let settings: SharedSettings

    // The page's scripts come from this service only, and connect to this service only. Only the page itself may use
    // the microphone.
    private static let headers: HTTPFields = [
        .contentSecurityPolicy: """
        default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; \
        worker-src 'self'; manifest-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; \
        frame-ancestors 'none'
        """,
        .xContentTypeOptions: "nosniff",
        .referrerPolicy: "no-referrer",
        .permissionsPolicy: "microphone=(self)",
        // Browsers revalidate a cached copy with the service each time.
        .cacheControl: "no-cache",
    ]

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        guard let file = settings.read(\.web)?.file(at: request.head.path ?? "") else {
            return try await next(request, context)
        }
        context.coreContext.endpointPath.value = "web"
        guard request.method == .get || request.method == .head else {
            throw Problem.methodNotAllowed(["GET", "HEAD"], isDescribed: false)
        }
        var headers = Self.headers
        headers[.contentType] = file.type
        headers[.eTag] = file.tag
        // HEAD has no body, but the same header: the length that a GET would have.
        headers[.contentLength] = "\(file.content.readableBytes)"
        let isKnown = request.headers[.ifNoneMatch].map { Self.isTag(file.tag, in: $0) } ?? false
        if isKnown { return Response(status: .notModified, headers: headers) }
        return Response(
            status: .ok, headers: headers,
            body: request.method == .head ? ResponseBody() : ResponseBody(byteBuffer: file.content))
    }

    /// Whether a list of entity tags has this one, weak or not.
    private static func isTag(_ tag: String, in list: String) -> Bool {
        list.split(separator: ",").contains { element in
            var element = element.drop { $0 == " " }
            while element.last == " " { element = element.dropLast() }
            return element == "*" || element == tag || element == "W/" + tag
        }
    }
}

extension HTTPField.Name {
    fileprivate static let referrerPolicy = known("Referrer-Policy")
    fileprivate static let permissionsPolicy = known("Permissions-Policy")
}
