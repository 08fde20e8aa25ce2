import Synchronization

/// The settings that the operator may change while the service runs.
struct Settings: Sendable {
    var limits = ServiceLimits()
    /// The proxies in front of the service. Only their `X-Forwarded-For` counts: anyone can send one.
    var proxies: Set<IPAddress> = []
    /// The web page to serve at `/`, if any.
    var web: WebFolder?
    /// The certificate, if the service uses TLS.
    var certificate: ServerCertificate?
}

/// The settings of a running service. Every request and every new connection reads the current ones.
final class SharedSettings: Sendable {
    private let settings: Mutex<Settings>

    init(_ settings: Settings) { self.settings = Mutex(settings) }

    var now: Settings { settings.withLock { $0 } }

    /// A part of the settings. It copies only that part, because a handler's memory lasts as long as its connection.
    func read<Part: Sendable>(_ body: (Settings) -> Part) -> Part { settings.withLock { body($0) } }

    func change(_ body: (inout Settings) -> Void) { settings.withLock { body(&$0) } }
}
