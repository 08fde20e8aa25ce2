import ArgumentParser
import EarshotServer
import Glibc
import Logging

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the service until SIGTERM or Ctrl-C.",
        discussion: """
            With --web it also serves a web page, whose visitors hear and speak with a browser key:
              earshotd key create demo --browser
              earshotd serve --web FOLDER

            The options may be in a file, one in a line without its dashes:
              earshotd serve --configuration /etc/earshotd/earshotd.conf
            SIGHUP reads the file, the certificate and the web page again, and ends no connection. What it cannot change \
            while the service runs, it names in the log: listeners, the database, --log-format, turning --web on. To turn TLS on or off, restart it.
            """)

    @Option(help: "The address to listen at; 0.0.0.0 for all.")
    var host = "127.0.0.1"

    @Option(parsing: .unconditional, help: "The port to listen at; 0 takes a free one and prints it.")
    var port = 8_787

    @Option(help: "The address of the listener for operators: /metrics, /livez, and /healthz once more.")
    var operationsHost = "127.0.0.1"

    @Option(parsing: .unconditional, help: "The port of the listener for operators; 0 takes a free one and logs it.")
    var operationsPort = 8_788

    @Flag(inversion: .prefixedNo, help: "Whether to listen for operators.")
    var operations = true

    @Option(help: "The address at which other nodes on the same PostgreSQL reach this one; in a network of their own.")
    var nodeHost = "127.0.0.1"

    @Option(parsing: .unconditional, help: "The port of the listener for other nodes; 0 takes a free one.")
    var nodePort = 0

    @OptionGroup var database: DatabaseOption

    @Option(
        help: ArgumentHelp(
            "Serve the web page in this folder at '/', beside the API. SIGHUP reads its files again.",
            valueName: "folder"))
    var web: String?

    @Option(
        help: ArgumentHelp(
            "The address of a proxy in front of the service: clients' addresses are what it says in X-Forwarded-For. May be repeated.",
            valueName: "address"))
    var proxy: [String] = []

    @Option(help: ArgumentHelp("PEM file: the certificate and its chain; without it, plain HTTP.", valueName: "file"))
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("PEM file: the certificate's private key.", valueName: "file"))
    var tlsKey: String?

    @Option(
        help: "The level of the log: trace, debug (a line for each request), info, notice, warning, error or critical.",
        transform: logLevel(_:))
    var logLevel = Logger.Level.info

    @Option(help: "The form of the log: text, or a line of JSON for each event.")
    var logFormat = ServiceLog.Format.text

    @Option(parsing: .unconditional, help: "The maximum number of open connections.")
    var connections = ServiceLimits().connections

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The maximum number of open connections of one client address. (default: a quarter of --connections)",
            valueName: "n"))
    var connectionsPerAddress: Int?

    @Option(parsing: .unconditional, help: ArgumentHelp("Connections to PostgreSQL; one more listens.", valueName: "n"))
    var databaseConnections = ServiceLimits().databaseConnections

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Maximum requests a second from all devices of a key.", valueName: "n"))
    var keyRate = ServiceLimits().requestsPerKey.perSecond

    @Option(parsing: .unconditional, help: ArgumentHelp("Maximum requests a second from one device.", valueName: "n"))
    var deviceRate = ServiceLimits().requestsPerDevice.perSecond

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Maximum sessions a second that a key may open.", valueName: "n"))
    var sessionRate = ServiceLimits().sessionsPerKey.perSecond

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Maximum requests a second from all web pages at one address.", valueName: "n"))
    var addressRate = ServiceLimits().requestsPerAddress.perSecond

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Maximum sessions a second that web pages at one address may open.", valueName: "n"))
    var addressSessionRate = ServiceLimits().sessionsPerAddress.perSecond

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Maximum requests a second from one address without a valid key or session.", valueName: "n"))
    var addressFailureRate = ServiceLimits().failuresPerAddress.perSecond

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Maximum devices of a key that have a session at the same time.", valueName: "n"))
    var devicesPerKey = ServiceLimits().devicesPerKey

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Maximum publications of all devices of a key.", valueName: "n"))
    var publicationsPerKey = ServiceLimits().publicationsPerKey

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Maximum subscriptions of all devices of a key.", valueName: "n"))
    var subscriptionsPerKey = ServiceLimits().subscriptionsPerKey

    @Option(parsing: .unconditional, help: ArgumentHelp("Maximum publications of one device.", valueName: "n"))
    var publicationsPerDevice = ServiceLimits().publicationsPerDevice

    @Option(parsing: .unconditional, help: ArgumentHelp("Maximum subscriptions of one device.", valueName: "n"))
    var subscriptionsPerDevice = ServiceLimits().subscriptionsPerDevice

    func validate() throws {
        for (name, port) in [("--port", port), ("--operations-port", operationsPort), ("--node-port", nodePort)]
        where !(0...65_535).contains(port) {
            throw ValidationError("\(name) must be 0 to 65535, not \(port).")
        }
        var listeners = [("--port", host, port), ("--node-port", nodeHost, nodePort)]
        if operations { listeners.append(("--operations-port", operationsHost, operationsPort)) }
        for (index, (name, host, port)) in listeners.enumerated() where port != 0 {
            for (other, _, _) in listeners[..<index].filter({ $0.1 == host && $0.2 == port }) {
                throw ValidationError("\(other) and \(name) are both \(port). Give one of them another port.")
            }
        }
        guard IPAddress(nodeHost) != nil, !["0.0.0.0", "::"].contains(nodeHost) else {
            throw ValidationError(
                "--node-host must be an IPv4 or IPv6 address that other nodes can reach, not '\(nodeHost)'.")
        }
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-certificate and --tls-key belong together; give both.")
        }
        for (name, rate) in [
            ("--key-rate", keyRate), ("--device-rate", deviceRate), ("--session-rate", sessionRate),
            ("--address-rate", addressRate), ("--address-session-rate", addressSessionRate),
            ("--address-failure-rate", addressFailureRate),
        ] where !(rate > 0 && rate <= 1e9) {
            throw ValidationError("\(name) must be more than 0, not \(rate).")
        }
        for address in proxy where IPAddress(address) == nil {
            throw ValidationError("--proxy must be an IPv4 or IPv6 address, not '\(address)'.")
        }
        for (name, count) in [
            ("--connections", connections), ("--connections-per-address", connectionsPerAddress ?? 1),
            ("--database-connections", databaseConnections), ("--devices-per-key", devicesPerKey),
            ("--publications-per-key", publicationsPerKey),
            ("--subscriptions-per-key", subscriptionsPerKey),
            ("--publications-per-device", publicationsPerDevice),
            ("--subscriptions-per-device", subscriptionsPerDevice),
        ] where !(1...1_000_000_000).contains(count) {
            throw ValidationError("\(name) must be 1 or more, not \(count).")
        }
    }

    /// The code of sysexits.h for a temporary failure: another service has the database.
    private static let databaseInUse = ExitCode(75)

    func run() async throws {
        // Until the service handles it, SIGHUP has no effect.
        signal(SIGHUP, SIG_IGN)
        let command: Self
        do {
            command = try complete()
        } catch let mistake as ConfigurationMistake {
            printError("Error: \(mistake)")
            throw ExitCode.validationFailure
        }
        try await command.serve()
    }

    /// An invalid option in the configuration file.
    private struct ConfigurationMistake: Error, CustomStringConvertible {
        let description: String
    }

    /// The command with the options of its configuration file. Those of the command line come after them, and so
    /// override them.
    /// - Throws: `ValidationError` if the file cannot be read, or `ConfigurationMistake`.
    private func complete() throws -> Self {
        guard let file = database.configuration else { return self }
        let arguments = try ConfigurationFile.arguments(file)
        do {
            return try Self.parse(arguments + CommandLine.arguments.dropFirst(2))
        } catch {
            throw ConfigurationMistake(description: "the configuration '\(file)': \(Self.message(for: error))")
        }
    }

    private func serve() async throws {
        let (format, level) = (logFormat, logLevel)
        LoggingSystem.bootstrap { ServiceLog(label: $0, format: format) }
        var logger = Logger(label: "earshotd")
        logger.logLevel = level
        if tlsCertificate == nil, !["localhost", "::1"].contains(host), !host.hasPrefix("127.") {
            logger.warning(
                """
                keys and messages travel without TLS, and other machines can reach this address: anyone on the way can read them. Give \
                --tls-certificate and --tls-key, or serve on 127.0.0.1 where a proxy on this machine ends TLS
                """, metadata: ["host": "\(host)"])
        }
        let (host, scheme) = (host, tlsCertificate == nil ? "http" : "https")
        try await orFail("cannot serve on \(HostAndPort.text(host, port)) with the database '\(database.name)'") {
            let server = try server(options, logger: logger)
            try await server.run { port in
                print("earshotd listens at \(scheme)://\(HostAndPort.text(host, port))")
                fflush(nil)
            } onReload: {
                try complete().options
            }
        }
        logger.info("stopped")
    }

    private var options: EarshotServer.Options {
        var options = EarshotServer.Options(database: database.database)
        options.host = host
        options.port = port
        options.operationsHost = operationsHost
        options.operationsPort = operations ? operationsPort : nil
        options.nodeHost = nodeHost
        options.nodePort = nodePort
        options.certificatePath = tlsCertificate
        options.privateKeyPath = tlsKey
        options.webFolder = web
        options.proxies = proxy
        options.logLevel = logLevel
        options.logFormat = logFormat.rawValue
        options.limits = limits
        return options
    }

    private func server(_ options: EarshotServer.Options, logger: Logger) throws -> EarshotServer {
        do {
            return try EarshotServer(options, logger: logger)
        } catch let error as DatabaseInUse {
            printError("Error: cannot serve the database '\(database.name)': \(error)")
            throw Self.databaseInUse
        }
    }

    private var limits: ServiceLimits {
        var limits = ServiceLimits()
        limits.connections = connections
        limits.connectionsPerAddress = connectionsPerAddress
        limits.databaseConnections = databaseConnections
        limits.requestsPerKey = RateLimit(perSecond: keyRate, burst: max(1, 4 * keyRate))
        limits.requestsPerDevice = RateLimit(perSecond: deviceRate, burst: max(1, 5 * deviceRate))
        limits.sessionsPerKey = RateLimit(perSecond: sessionRate, burst: max(1, 10 * sessionRate))
        limits.requestsPerAddress = RateLimit(perSecond: addressRate, burst: max(1, 10 * addressRate))
        limits.sessionsPerAddress = RateLimit(perSecond: addressSessionRate, burst: max(1, 500 * addressSessionRate))
        limits.failuresPerAddress = RateLimit(perSecond: addressFailureRate, burst: max(1, 50 * addressFailureRate))
        limits.devicesPerKey = devicesPerKey
        limits.publicationsPerKey = publicationsPerKey
        limits.subscriptionsPerKey = subscriptionsPerKey
        limits.publicationsPerDevice = publicationsPerDevice
        limits.subscriptionsPerDevice = subscriptionsPerDevice
        return limits
    }
}

extension ServiceLog.Format: ExpressibleByArgument {}

private func logLevel(_ text: String) throws -> Logger.Level {
    guard let level = Logger.Level(rawValue: text) else {
        let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("There is no log level '\(text)'. The levels are \(levels).")
    }
    return level
}
