#if Postgres
    import AsyncHTTPClient
    import FoundationEssentials
    import Glibc
    import HTTPTypes
    import Hummingbird
    import NIOCore
    import NIOHTTP1
    import NIOHTTPTypesHTTP1
    import NIOPosix

    /// Forwards requests to the node that owns the project of their session or key.
    final class Forwarder: Sendable {
        let store: PostgresStore
        let secret: String
        private let http: HTTPClient
        private static let connectTime = TimeAmount.seconds(1)
        private static let answerTime = TimeAmount.seconds(30)
        /// The maximum size of an answer other than a stream: a page of 100 beacons with 16 attachments of 1 KiB each
        /// in base64 has 2.2 MiB.
        private static let answerBytes = 4 << 20

        init(_ store: PostgresStore, limits: ServiceLimits) async throws {
            self.store = store
            secret = try await store.clusterSecret()
            var configuration = HTTPClient.Configuration()
            configuration.timeout.connect = Self.connectTime
            configuration.redirectConfiguration = .disallow
            // Each stream takes a connection.
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = limits.connections
            configuration.connectionPool.retryConnectionEstablishment = false
            http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        }

        func close() async throws { try await http.shutdown() }

        /// The project of the request's session or key; nil if neither is in the database.
        func project(of request: Request) async throws -> Int64? {
            guard request.uri.path.hasPrefix("/v1/"), let bearer = try? request.bearer(),
                bearer.utf8.count <= Secret.maximumCount
            else { return nil }
            return try await store.home(of: Secret.hash(bearer))
        }

        /// The other node cannot be reached, so it has not received the request.
        struct Unreachable: Error {}
        /// The other node does not own the project.
        struct Misdirected: Error {}

        /// - Parameters:
        ///   - body: the request's body, which is complete.
        ///   - client: the client's address. The client's own headers about it are not forwarded.
        /// - Throws: `Unreachable`, `Misdirected`; `Problem.projectMoves` if the request may or may not have taken effect.
        func forward(
            _ request: Request, body: ByteBuffer, client: IPAddress?, to address: String
        ) async throws -> Response {
            var forwarded = HTTPClientRequest(url: "http://\(address)\(request.head.path ?? "/")")
            forwarded.method = HTTPMethod(rawValue: request.method.rawValue)
            forwarded.headers = HTTPHeaders(request.headers)
            for name in Self.hopHeaders + ["content-length", "x-forwarded-for"] { forwarded.headers.remove(name: name) }
            forwarded.headers.replaceOrAdd(name: "Host", value: request.head.authority ?? address)
            forwarded.headers.replaceOrAdd(name: HTTPField.Name.node.rawName, value: secret)
            if let client { forwarded.headers.add(name: "X-Forwarded-For", value: client.text) }
            if body.readableBytes > 0 { forwarded.body = .bytes(body) }
            let isStream = request.uri.path == EventStream.path
            let answer: HTTPClientResponse
            do {
                answer = try await http.execute(
                    forwarded, deadline: isStream ? .distantFuture : .now() + Self.answerTime)
            } catch {
                throw Self.isRefusal(error) ? Unreachable() as any Error : Problem.projectMoves
            }
            guard answer.status.code != HTTPResponse.Status.misdirectedRequest.code else { throw Misdirected() }
            var fields = HTTPFields(answer.headers, splitCookie: false)
            for name in Self.hopHeaders { fields[HTTPField.Name.known(name)] = nil }
            let status = HTTPResponse.Status(code: Int(answer.status.code))
            guard isStream, status == .ok else {
                fields[.contentLength] = nil
                do {
                    let body = try await answer.body.collect(upTo: Self.answerBytes)
                    return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: body))
                } catch {
                    throw Problem.projectMoves
                }
            }
            return Response(
                status: status, headers: fields,
                body: ResponseBody { writer in
                    do {
                        for try await buffer in answer.body { try await writer.write(buffer) }
                    } catch is HTTPClientError {
                        // The other node has disappeared. The client reconnects, and the stream resumes.
                    }
                    try await writer.finish(nil)
                })
        }

        private static let hopHeaders = ["connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade"]

        private static func isRefusal(_ error: any Error) -> Bool {
            switch error {
            case let error as HTTPClientError: error == .connectTimeout
            case is NIOConnectionError: true
            case let error as IOError: [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode)
            default: false
            }
        }
    }

    /// Forwards requests to the nodes that own their projects. If such a node has disappeared, this one takes the
    /// project.
    struct ForwardingMiddleware: RouterMiddleware {
        let forwarder: Forwarder
        let service: TokenService
        /// The maximum number of nodes to try, because a project may move meanwhile.
        private static let maximumTries = 3

        func handle(
            _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
        ) async throws -> Response {
            guard let project = try await forwarder.project(of: request) else {
                return try await next(request, context)
            }
            var place = try await forwarder.store.place(of: project)
            guard place != .here else { return try await next(request, context) }
            var request = request
            let body = try await request.body(upTo: service.limits.bodyBytes)
            request.body = RequestBody(buffer: body)
            for _ in 0..<Self.maximumTries {
                guard case .node(let address) = place else { return try await next(request, context) }
                do {
                    context.coreContext.endpointPath.value = "(forwarded)"
                    return try await forwarder.forward(
                        request, body: body,
                        client: service.browsers(isBehindNodes: false).address(of: request, context), to: address)
                } catch is Forwarder.Unreachable {
                    place = try await forwarder.store.place(of: project, unreachable: address)
                } catch is Forwarder.Misdirected {
                    place = try await forwarder.store.place(of: project)
                }
            }
            throw Problem.projectMoves
        }
    }

    /// Accepts only the requests that other nodes forward. A node that does not own the project says so, and does not
    /// take it.
    struct ForwardedMiddleware: RouterMiddleware {
        let forwarder: Forwarder

        func handle(
            _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
        ) async throws -> Response {
            guard let secret = request.headers[.node], Secret.hash(secret) == Secret.hash(forwarder.secret) else {
                throw Problem.notANode
            }
            guard let project = try await forwarder.project(of: request), forwarder.store.owns(project) else {
                return Response(status: .misdirectedRequest)
            }
            do {
                // This node may be about to take the project, and another node may be faster.
                _ = try await forwarder.store.engine(of: project)
            } catch let problem as Problem where problem == .projectMoves {
                return Response(status: .misdirectedRequest)
            }
            return try await next(request, context)
        }
    }

    extension HTTPField.Name {
        /// The header by which nodes recognise each other.
        static let node = known("Earshot-Node")
    }
#endif
