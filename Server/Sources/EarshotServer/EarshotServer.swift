import CAllocator
import Glibc
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
import Synchronization
import UnixSignals

/// The complete token service: store, HTTP, TLS, time and an orderly shutdown.
public struct EarshotServer: Sendable {
    /// The configuration of the service.
    public struct Options: Sendable {
        /// The address to listen at.
        public var host = "127.0.0.1"
        /// The port to listen at, 0 ... 65,535; 0 takes a free one.
        public var port = 8_787
        /// The address at which `/metrics` answers, and the health once more: for operators, not for clients.
        public var operationsHost = "127.0.0.1"
        /// The port of that listener, 0 ... 65,535; 0 takes a free one. Nil listens at none.
        public var operationsPort: Int? = 8_788
        /// The address at which other nodes on one PostgreSQL reach this one.
        public var nodeHost = "127.0.0.1"
        /// The port of that listener, 0 ... 65,535; 0 takes a free one.
        public var nodePort = 0
        /// The path of the SQLite database, which the service creates if it is missing; or `postgres://user@host/database`.
        public var database: String
        /// The path of a PEM file with the certificate and its chain. Nil serves plain HTTP.
        public var certificatePath: String?
        /// The path of a PEM file with the certificate's private key.
        public var privateKeyPath: String?
        /// The path of a folder with a web page to serve at `/`; nil serves none.
        public var webFolder: String?
        /// The addresses of proxies in front of the service: a client's address is what they say in `X-Forwarded-For`.
        public var proxies: [String] = []
        /// The limits of requests, messages and connections.
        public var limits = ServiceLimits()

        /// Creates options that serve plain HTTP on loopback.
        public init(database: String) { self.database = database }
    }

    private let options: Options
    private let logger: Logger
    private let store: any Store
    private let web: WebFolder?

    /// Opens the database and creates a missing one.
    /// - Throws: `DatabaseInUse` if another process serves the SQLite file; GRDB's `DatabaseError` if SQLite cannot open or
    ///   migrate it, or an error that says why the rights of other users cannot be taken from it; for PostgreSQL,
    ///   `AdministrationError` if the database cannot be reached or migrated; an error that says why the web page cannot be
    ///   served.
    public init(_ options: Options, logger: Logger) throws {
        self.options = options
        self.logger = logger
        web = try options.webFolder.map { try WebFolder($0) }
        if let leftOut = web?.leftOut, !leftOut.isEmpty {
            logger.notice("files that are not served", metadata: ["files": "\(leftOut.joined(separator: " "))"])
        }
        store = try StoreOpening.serve(options.database, options.limits, logger)
    }

    /// Serves until SIGTERM or SIGINT: then it accepts no more connections, ends the event streams, answers the
    /// requests in progress, and returns. After ten seconds it returns in any case.
    /// - Parameter onRunning: called once with the port, when all listeners accept connections.
    /// - Throws: an error of the network or TLS library if the certificate cannot be loaded or the address cannot be
    ///   bound; `AdministrationError` if that of the listener for operators cannot be bound.
    public func run(onRunning: @escaping @Sendable (Int) -> Void) async throws {
        let limits = possible(options.limits)
        let service = TokenService(store: store, limits: limits)
        try await service.begin()
        let proxies = Set(options.proxies.compactMap { IPAddress($0) })
        let nodes = try await Nodes(service, host: options.nodeHost, port: options.nodePort)
        let count = [options.operationsPort != nil, nodes != nil].count { $0 }
        let starting = StartingListeners(count: 1 + count, onRunning: onRunning)
        var services: [any Service] = [
            Self.application(
                service, web: web, proxies: proxies, nodes: nodes,
                server: try server(service, proxies), address: .hostname(options.host, port: options.port),
                logger: logger, onRunning: { starting.isRunning(port: $0) })
        ]
        if let nodes {
            services.append(nodes.listener(service, web: web, logger: logger) { starting.isRunning() })
        }
        if let port = options.operationsPort {
            services.append(operations(service, port: port) { starting.isRunning() })
        }
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(10)
        try await ServiceGroup(configuration: configuration).run()
        try await nodes?.close()
        do {
            try (store as? SQLiteStore)?.mergeLog()
        } catch {
            logger.notice("could not empty the write-ahead log", metadata: ["reason": "\(reason(of: error))"])
        }
        try store.close()
    }

    /// The application around a service, which tests run too.
    static func application(
        _ service: TokenService, web: WebFolder? = nil, proxies: Set<IPAddress> = [], nodes: Nodes? = nil,
        server: HTTPServerBuilder? = nil,
        address: BindAddress = .hostname("127.0.0.1", port: 0), logger: Logger,
        onRunning: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let browsers = BrowserSettings(servesPages: web != nil, proxies: proxies)
        let endpoints = API(service: service, browsers: browsers).endpoints
        let router = Router(context: ServiceContext.self)
        router.add(middleware: ObservationMiddleware(metrics: service.metrics))
        router.add(middleware: CrossOriginMiddleware(origins: service.browserOrigins))
        router.add(middleware: ProblemMiddleware(service: service, browsers: browsers, endpoints: endpoints))
        router.add(middleware: PreflightMiddleware(origins: service.browserOrigins, endpoints: endpoints))
        if let web { router.add(middleware: WebMiddleware(folder: web)) }
        router.add(middleware: PathFormMiddleware())
        nodes?.add(to: router, browsers, service.limits)
        for endpoint in endpoints {
            router.on(RouterPath(endpoint.path), method: endpoint.method, use: endpoint.answer)
        }
        return Application(
            router: router,
            server: server ?? EventLoopConnections.server(channels(service), service.counter(proxies)),
            configuration: ApplicationConfiguration(
                address: address, backlog: 1_024,
                // A connection that the handler below rejects still takes a file descriptor for a moment.
                availableConnectionsDelegate: MaximumAvailableConnections(service.limits.connections + 64)),
            services: [Heartbeat(service: service, logger: logger)],
            onServerRunning: { channel in onRunning(channel.localAddress?.port ?? 0) }, logger: logger)
    }

    /// The application for operators, which tests run too.
    static func operations(
        _ service: TokenService, address: BindAddress = .hostname("127.0.0.1", port: 0), logger: Logger,
        onRunning: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let endpoints = Operations(service: service).endpoints
        let router = Router(context: ServiceContext.self)
        router.add(middleware: ObservationMiddleware(metrics: service.metrics))
        router.add(middleware: ProblemMiddleware(service: service, endpoints: endpoints))
        router.add(middleware: PathFormMiddleware())
        for endpoint in endpoints {
            router.on(RouterPath(endpoint.path), method: endpoint.method, use: endpoint.answer)
        }
        // Clients cannot take its connections: it answers while the public listener has none to give.
        let connections = OpenConnections(limit: operationsConnections, limitPerClient: operationsConnections)
        return Application(
            router: router,
            server: EventLoopConnections.server(channels(service)) {
                ConnectionCounter(connections, proxies: [], metrics: service.metrics)
            },
            configuration: ApplicationConfiguration(address: address),
            onServerRunning: { channel in onRunning(channel.localAddress?.port ?? 0) }, logger: logger)
    }

    private static let operationsConnections = 32

    /// The listener for operators, which says in the log where it is.
    private func operations(_ service: TokenService, port: Int, onRunning: @escaping @Sendable () -> Void)
        -> any Service
    {
        let (host, logger) = (options.operationsHost, logger)
        let application = Self.operations(service, address: .hostname(host, port: port), logger: logger) { port in
            logger.notice("operations", metadata: ["metrics": "http://\(host):\(port)/metrics"])
            onRunning()
        }
        return NamedListener(
            application: application, name: "operators", option: "--operations-port", "\(host):\(port)")
    }

    /// The limits with as many connections as there are file descriptors: each connection takes one.
    private func possible(_ limits: ServiceLimits) -> ServiceLimits {
        var limits = limits
        let possible = FileDescriptors.connectionsAfterRaising()
        if possible < limits.connections {
            logger.warning(
                "fewer connections than configured; raise the limit of open files",
                metadata: ["asked": "\(limits.connections)", "possible": "\(possible)"])
            limits.connections = possible
        }
        return limits
    }

    /// The suites of TLS 1.2 whose keys are ephemeral, with authenticated encryption: who records the traffic and steals the
    /// server's key later cannot read it (RFC 9325, section 4.2). All suites of 1.3 are so.
    private static let cipherSuites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    private func server(_ service: TokenService, _ proxies: Set<IPAddress>) throws -> HTTPServerBuilder {
        let plain = EventLoopConnections.server(Self.channels(service), service.counter(proxies))
        guard let certificatePath = options.certificatePath, let privateKeyPath = options.privateKeyPath else {
            return plain
        }
        let certificates = try NIOSSLCertificate.fromPEMFile(certificatePath).map(NIOSSLCertificateSource.certificate)
        let privateKey = try NIOSSLPrivateKey(file: privateKeyPath, format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates, privateKey: .privateKey(privateKey))
        // RFC 8996 forbids 1.0 and 1.1, which the library still accepts by itself.
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = EarshotServer.cipherSuites
        return try .tls(plain, tlsConfiguration: configuration)
    }

    static func channels(_ service: TokenService) -> HTTP1Channel.Configuration {
        HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                ConnectionLimit(metrics: service.metrics), RequestGuard(service.limits, metrics: service.metrics),
            ],
            // Closes connections that send nothing after an answer.
            idleTimeout: TimeAmount(service.limits.idleTime),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 8 * 1_024, maxHeaderListSize: 16 * 1_024, maxHeaderFieldCount: 64))
    }
}

extension TokenService {
    /// What counts each connection of the public listener.
    func counter(_ proxies: Set<IPAddress>) -> @Sendable () -> ConnectionCounter {
        { [connections, metrics] in ConnectionCounter(connections, proxies: proxies, metrics: metrics) }
    }
}

/// Waits until all listeners accept connections.
private final class StartingListeners: Sendable {
    private let state: Mutex<(left: Int, port: Int)>
    private let onRunning: @Sendable (Int) -> Void

    init(count: Int, onRunning: @escaping @Sendable (Int) -> Void) {
        state = Mutex((count, 0))
        self.onRunning = onRunning
    }

    /// - Parameter port: the port of the public listener; nil for another.
    func isRunning(port: Int? = nil) {
        let complete = state.withLock { state -> Int? in
            state.left -= 1
            if let port { state.port = port }
            return state.left == 0 ? state.port : nil
        }
        if let complete { onRunning(complete) }
    }
}

/// Ends expired leases, and keeps event streams alive.
struct Heartbeat: Service {
    let service: TokenService
    let logger: Logger
    private static let sweepInterval = Duration.milliseconds(250)
    /// Proxies close connections that stay silent for a minute, or for half of one.
    private static let sweepsPerWake = 60
    /// Once a minute.
    private static let sweepsPerTrim = 240

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            for count in 1... {
                try await Task.sleep(for: Self.sweepInterval)
                do {
                    try await service.sweep()
                } catch {
                    logger.error("sweep failed", metadata: ["reason": "\(reason(of: error))"])
                }
                if count.isMultiple(of: Self.sweepsPerWake) { service.hub.wakeAll() }
                // By itself the allocator keeps what ended streams have left between what lives.
                if count.isMultiple(of: Self.sweepsPerTrim) { malloc_trim(0) }
            }
        }
    }
}
