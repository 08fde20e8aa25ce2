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
        /// The address of the listener for operators, with `/metrics` and the health. Clients do not use it.
        public var operationsHost = "127.0.0.1"
        /// The port of that listener, 0 ... 65,535; 0 takes a free one. With nil there is no such listener.
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
        /// The addresses of proxies in front of the service. For their requests, `X-Forwarded-For` has the client's
        /// address.
        public var proxies: [String] = []
        /// The level of the log.
        public var logLevel = Logger.Level.info
        /// The name of the form of the log, which is the caller's; a reload cannot change it.
        public var logFormat = ""
        /// The limits of requests, messages and connections.
        public var limits = ServiceLimits()

        /// Creates options that serve plain HTTP on loopback.
        public init(database: String) { self.database = database }
    }

    /// The version of the service.
    public static let version = "0.2.0"

    private let options: Options
    private let logger: Logger
    private let store: any Store
    private let service: TokenService

    /// Opens the database and creates a missing one.
    /// - Throws: `DatabaseInUse` if another process serves the SQLite file; GRDB's `DatabaseError` if SQLite cannot
    ///   open or migrate it, an error that says why other users' permissions on it cannot be removed; for PostgreSQL,
    ///   `AdministrationError` if the database cannot be reached or migrated; an error that says why the web page
    ///   cannot be served; an error of the TLS library if the certificate cannot be loaded.
    public init(_ options: Options, logger: Logger) throws {
        self.options = options
        self.logger = logger
        let settings = try Self.settings(options, logger)
        store = try StoreOpening.serve(options.database, options.limits, logger)
        service = TokenService(store: store, limits: settings.limits)
        service.change(settings)
    }

    /// Serves until SIGTERM or SIGINT: then it accepts no more connections, ends the event streams, answers the
    /// requests in progress, and returns. After ten seconds it returns in any case.
    ///
    /// It reports its state to the service manager, if there is one (`ServiceManager`).
    /// - Parameters:
    ///   - onRunning: called once with the port, when all listeners accept connections.
    ///   - onReload: called at each SIGHUP; returns the new options. Those of listeners and of the database do not
    ///     change.
    /// - Throws: `AdministrationError` if the address of a listener cannot be bound.
    public func run(
        onRunning: @escaping @Sendable (Int) -> Void, onReload: @escaping @Sendable () throws -> Options
    ) async throws {
        let service = service
        try await service.begin()
        let nodes = try await Nodes(service, host: options.nodeHost, port: options.nodePort)
        let count = [options.operationsPort != nil, nodes != nil].count { $0 }
        let starting = StartingListeners(count: 1 + count) { port in
            ServiceManager.tell("READY=1")
            onRunning(port)
        }
        var services: [any Service] = [
            NamedListener(
                application: Self.application(
                    service, nodes: nodes, server: try server(service),
                    address: .hostname(options.host, port: options.port),
                    logger: logger, onRunning: { starting.isRunning(port: $0) }),
                name: "clients", option: "--host, --port", HostAndPort.text(options.host, options.port)),
            ServiceManager(),
            Reloading(metrics: service.metrics, logger: logger) { try reload(try onReload()) },
        ]
        if let nodes {
            services.append(nodes.listener(service, logger: logger) { starting.isRunning() })
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

    /// Applies new options. If one of them cannot be used, nothing changes.
    private func reload(_ new: Options) throws {
        guard (new.certificatePath == nil) == (options.certificatePath == nil) else {
            throw AdministrationError(description: "TLS cannot be turned on or off while the service runs; restart it.")
        }
        service.change(try Self.settings(new, logger))
        var logger = logger
        logger.logLevel = new.logLevel
        let fixed = new.differences(from: options)
        if !fixed.isEmpty {
            logger.warning(
                "these options count after a restart only", metadata: ["options": "\(fixed.joined(separator: " "))"])
        }
    }

    private static func settings(_ options: Options, _ logger: Logger) throws -> Settings {
        var settings = Settings(limits: possible(options.limits, logger))
        settings.proxies = Set(options.proxies.compactMap { IPAddress($0) })
        settings.web = try options.webFolder.map { try WebFolder($0) }
        if let leftOut = settings.web?.leftOut, !leftOut.isEmpty {
            logger.notice("files that are not served", metadata: ["files": "\(leftOut.joined(separator: " "))"])
        }
        if let certificatePath = options.certificatePath, let privateKeyPath = options.privateKeyPath {
            settings.certificate = try ServerCertificate(
                certificatePath: certificatePath, privateKeyPath: privateKeyPath)
        }
        return settings
    }

    /// The application around a service. Tests run it too.
    static func application(
        _ service: TokenService, nodes: Nodes? = nil, server: HTTPServerBuilder? = nil,
        address: BindAddress = .hostname("127.0.0.1", port: 0), logger: Logger,
        onRunning: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let endpoints = API(service: service).endpoints
        let router = Router(context: ServiceContext.self)
        router.add(middleware: ObservationMiddleware(metrics: service.metrics))
        router.add(middleware: CrossOriginMiddleware(origins: service.browserOrigins))
        router.add(middleware: ProblemMiddleware(service: service, endpoints: endpoints))
        router.add(middleware: PreflightMiddleware(origins: service.browserOrigins, endpoints: endpoints))
        if service.settings.now.web != nil { router.add(middleware: WebMiddleware(settings: service.settings)) }
        router.add(middleware: PathFormMiddleware())
        nodes?.add(to: router, service)
        for endpoint in endpoints {
            router.on(RouterPath(endpoint.path), method: endpoint.method, use: endpoint.answer)
        }
        return Application(
            responder: TaskPerRequest(router.buildResponder()),
            server: server ?? EventLoopConnections.server(channels(service), service.counter),
            configuration: ApplicationConfiguration(
                address: address, backlog: 1_024,
                // A connection that the handler below rejects still takes a file descriptor for a moment.
                availableConnectionsDelegate: MaximumAvailableConnections(
                    FileDescriptors.connectionsAfterRaising() + 64)),
            services: [Heartbeat(service: service, logger: logger)],
            onServerRunning: { channel in onRunning(channel.localAddress?.port ?? 0) }, logger: logger)
    }

    /// The application for operators. Tests run it too.
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
        // Its connections are separate, so it answers even when the public listener has no connection left.
        let connections = OpenConnections(limit: operationsConnections, limitPerClient: operationsConnections)
        return Application(
            router: router,
            server: EventLoopConnections.server(channels(service)) {
                ConnectionCounter(connections, metrics: service.metrics)
            },
            configuration: ApplicationConfiguration(address: address),
            onServerRunning: { channel in onRunning(channel.localAddress?.port ?? 0) }, logger: logger)
    }

    private static let operationsConnections = 32

    /// The listener for operators. It logs its address.
    private func operations(_ service: TokenService, port: Int, onRunning: @escaping @Sendable () -> Void)
        -> any Service
    {
        let (host, logger) = (options.operationsHost, logger)
        let application = Self.operations(service, address: .hostname(host, port: port), logger: logger) { port in
            logger.notice("operations", metadata: ["metrics": "http://\(HostAndPort.text(host, port))/metrics"])
            onRunning()
        }
        return NamedListener(
            application: application, name: "operators", option: "--operations-host, --operations-port",
            HostAndPort.text(host, port))
    }

    /// The limits, with the connections reduced to the available file descriptors: each connection takes one.
    private static func possible(_ limits: ServiceLimits, _ logger: Logger) -> ServiceLimits {
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

    private func server(_ service: TokenService) throws -> HTTPServerBuilder {
        let plain = EventLoopConnections.server(Self.channels(service), service.counter)
        guard let certificate = service.settings.now.certificate else { return plain }
        return try .tls(plain, tlsConfiguration: certificate.configuration(service.settings))
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
    /// The handler that counts each connection of the public listener.
    var counter: @Sendable () -> ConnectionCounter {
        { [connections, metrics, settings] in
            ConnectionCounter(connections, proxies: { settings.now.proxies }, metrics: metrics)
        }
    }
}

extension EarshotServer.Options {
    /// The names of the changed options that a running service cannot apply.
    fileprivate func differences(from old: Self) -> [String] {
        [
            ("--host", host == old.host), ("--port", port == old.port),
            ("--operations-host", operationsHost == old.operationsHost),
            (
                operationsPort == nil || old.operationsPort == nil ? "--no-operations" : "--operations-port",
                operationsPort == old.operationsPort
            ),
            ("--node-host", nodeHost == old.nodeHost), ("--node-port", nodePort == old.nodePort),
            ("--database", database == old.database), ("--log-format", logFormat == old.logFormat),
            // The page may change or be removed. A service that started without one has no handler for it.
            ("--web", old.webFolder != nil || webFolder == nil),
            ("--database-connections", limits.databaseConnections == old.limits.databaseConnections),
        ].filter { !$0.1 }.map(\.0)
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

/// Ends expired leases and keeps event streams alive.
struct Heartbeat: Service {
    let service: TokenService
    let logger: Logger
    private static let sweepInterval = Duration.milliseconds(250)
    /// Once a minute.
    private static let sweepsPerTrim = 240

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            for count in 1... {
                try await Task.sleep(for: Self.sweepInterval)
                do {
                    try await service.sweep()
                } catch let problem as Problem where problem == .storeAway {
                    // The store has logged it.
                } catch {
                    logger.error("failed", metadata: ["step": "sweep", "reason": "\(reason(of: error))"])
                }
                // Each stream every 15 s, because proxies close connections that are silent for 30 or 60 s.
                service.hub.wake(share: count)
                // Without this the allocator keeps the memory of ended streams between live allocations.
                if count.isMultiple(of: Self.sweepsPerTrim) { malloc_trim(0) }
            }
        }
    }
}
