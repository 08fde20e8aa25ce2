import Synchronization

/// What the operator may change while the service runs.
struct Settings: Sendable {
    var limits = ServiceLimits()
    /// The proxies in front of the service. Only their `X-Forwarded-For` counts: anyone can send one.
    var proxies: Set<IPAddress> = []
    /// The web page to serve at `/`, if any.
    var web: WebFolder?
    /// Of a service with TLS.
    var certificate: ServerCertificate?
}

/// The settings of a running service. Each request and each new connection reads them anew.
final class SharedSettings: Sendable {
    private let settings: Mutex<Settings>

    init(_ settings: Settings) { self.settings = Mutex(settings) }

    var now: Settings { settings.withLock { $0 } }

    /// A part of the settings, without a copy of the rest: request handlers keep what they hold for as long as a connection lives.
    func read<Part: Sendable>(_ body: (Settings) -> Part) -> Part { settings.withLock { body($0) } }

    func change(_ body: (inout Settings) -> Void) { settings.withLock { body(&$0) } }
}
