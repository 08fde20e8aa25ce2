import FoundationEssentials
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// The other nodes on one PostgreSQL: the forwarder to them, and the listener at which they reach this node.
struct Nodes: Sendable {
    #if Postgres
        private let forwarder: Forwarder
        private let host: String
        private let port: ReservedPort
        /// The maximum number of connections from all other nodes. Each of their streams takes one.
        private static let connections = 100_000

        /// Makes this process a node; nil if its store supports only one process.
        /// - Throws: `AdministrationError` if no port is free, or if PostgreSQL does not answer.
        init?(_ service: TokenService, host: String, port: Int) async throws {
            guard let store = service.store as? PostgresStore else { return nil }
            self.host = host
            // The others need the port before they can send requests, so it is reserved before the listener opens.
            self.port = try ReservedPort(host, port)
            try store.join(at: "\(host):\(self.port.number)")
            forwarder = try await Forwarder(store, limits: service.limits)
        }

        func close() async throws { try await forwarder.close() }

        /// Adds the forwarding middleware, after all other middleware.
        func add(to router: Router<ServiceContext>, _ service: TokenService) {
            router.add(middleware: ForwardingMiddleware(forwarder: forwarder, service: service))
        }

        func listener(
            _ service: TokenService, logger: Logger, onRunning: @escaping @Sendable () -> Void
        ) -> any Service {
            let endpoints = API(service: service, isBehindNodes: true).endpoints
            let router = Router(context: ServiceContext.self)
            router.add(middleware: ObservationMiddleware(metrics: service.metrics))
            router.add(middleware: ProblemMiddleware(service: service, isBehindNodes: true, endpoints: endpoints))
            router.add(middleware: ForwardedMiddleware(forwarder: forwarder))
            for endpoint in endpoints {
                router.on(RouterPath(endpoint.path), method: endpoint.method, use: endpoint.answer)
            }
            let connections = OpenConnections(limit: Self.connections, limitPerClient: Self.connections)
            let (host, port) = (host, port.number)
            let application = Application(
                responder: TaskPerRequest(router.buildResponder()),
                server: EventLoopConnections.server(EarshotServer.channels(service)) {
                    ConnectionCounter(connections, metrics: service.metrics)
                },
                configuration: ApplicationConfiguration(address: .hostname(host, port: port), backlog: 1_024),
                onServerRunning: { _ in
                    logger.notice("node", metadata: ["address": "\(HostAndPort.text(host, port))"])
                    onRunning()
                }, logger: logger)
            return NamedListener(
                application: application, name: "other nodes", option: "--node-host, --node-port",
                HostAndPort.text(host, port))
        }
    #else
        init?(_ service: TokenService, host: String, port: Int) async throws { return nil }
        func close() async throws {}
        func add(to router: Router<ServiceContext>, _ service: TokenService) {}
        func listener(
            _ service: TokenService, logger: Logger, onRunning: @escaping @Sendable () -> Void
        ) -> any Service { preconditionFailure("a node without PostgreSQL") }
    #endif
}
