import ArgumentParser
import EarshotServer
import Glibc
import Logging

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the service until SIGTERM or Ctrl-C.")

    @Option(help: "Address to listen at; 0.0.0.0 for all.")
    var host = "127.0.0.1"

    @Option(help: "Port to listen at; 0 takes a free one and says which.")
    var port = 8_787

    @OptionGroup var database: DatabaseOption

    @Option(help: ArgumentHelp("PEM file: the certificate and its chain. Without, plain HTTP.", valueName: "file"))
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("PEM file: the certificate's private key.", valueName: "file"))
    var tlsKey: String?

    @Option(
        help: "trace, debug (a line for each request), info, notice, warning, error or critical.",
        transform: logLevel(_:))
    var logLevel = Logger.Level.info

    @Option(help: "Open connections.")
    var connections = ServiceLimits().connections

    @Option(help: ArgumentHelp("Requests a second that all devices of a key may send.", valueName: "n"))
    var keyRate = ServiceLimits().requestsPerKey.perSecond

    @Option(help: ArgumentHelp("Requests a second that one device may send.", valueName: "n"))
    var deviceRate = ServiceLimits().requestsPerDevice.perSecond

    @Option(help: ArgumentHelp("Sessions a second that a key may open.", valueName: "n"))
    var sessionRate = ServiceLimits().sessionsPerKey.perSecond

    @Option(help: ArgumentHelp("Publications that all devices of a key have at once.", valueName: "n"))
    var publicationsPerKey = ServiceLimits().publicationsPerKey

    @Option(help: ArgumentHelp("Subscriptions that all devices of a key have at once.", valueName: "n"))
    var subscriptionsPerKey = ServiceLimits().subscriptionsPerKey

    @Option(help: ArgumentHelp("Publications that one device has at once.", valueName: "n"))
    var publicationsPerDevice = ServiceLimits().publicationsPerDevice

    @Option(help: ArgumentHelp("Subscriptions that one device has at once.", valueName: "n"))
    var subscriptionsPerDevice = ServiceLimits().subscriptionsPerDevice

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535, not \(port).") }
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-certificate and --tls-key belong together; give both.")
        }
        for (name, rate) in [
            ("--key-rate", keyRate), ("--device-rate", deviceRate), ("--session-rate", sessionRate),
        ] where !(rate > 0 && rate <= 1e9) {
            throw ValidationError("\(name) is more than 0, not \(rate).")
        }
        for (name, count) in [
            ("--connections", connections), ("--publications-per-key", publicationsPerKey),
            ("--subscriptions-per-key", subscriptionsPerKey),
            ("--publications-per-device", publicationsPerDevice),
            ("--subscriptions-per-device", subscriptionsPerDevice),
        ] where !(1...1_000_000_000).contains(count) {
            throw ValidationError("\(name) is 1 or more, not \(count).")
        }
    }

    func run() async throws {
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        var logger = Logger(label: "earshotd")
        logger.logLevel = logLevel

        var options = EarshotServer.Options(databasePath: database.database)
        options.host = host
        options.port = port
        options.certificatePath = tlsCertificate
        options.privateKeyPath = tlsKey
        options.limits = limits
        let scheme = tlsCertificate == nil ? "http" : "https"
        try await orFail("cannot serve on \(host):\(port) with the database '\(database.database)'") {
            let server = try EarshotServer(options, logger: logger)
            try await server.run { port in
                print("earshotd listens at \(scheme)://\(host):\(port)")
                fflush(nil)
            }
        }
        logger.info("stopped")
    }

    private var limits: ServiceLimits {
        var limits = ServiceLimits()
        limits.connections = connections
        limits.requestsPerKey = RateLimit(perSecond: keyRate, burst: max(1, 4 * keyRate))
        limits.requestsPerDevice = RateLimit(perSecond: deviceRate, burst: max(1, 5 * deviceRate))
        limits.sessionsPerKey = RateLimit(perSecond: sessionRate, burst: max(1, 10 * sessionRate))
        limits.publicationsPerKey = publicationsPerKey
        limits.subscriptionsPerKey = subscriptionsPerKey
        limits.publicationsPerDevice = publicationsPerDevice
        limits.subscriptionsPerDevice = subscriptionsPerDevice
        return limits
    }
}

private func logLevel(_ text: String) throws -> Logger.Level {
    guard let level = Logger.Level(rawValue: text) else { throw ValidationError("There is no log level '\(text)'.") }
    return level
}
