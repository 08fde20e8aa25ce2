import HTTPTypes
import Hummingbird
import NIOCore

/// The origin of a request, as far as it is known.
///
/// Browsers add `Origin` and `Sec-Fetch-Site`, and pages cannot change them. Other programs can send anything: an
/// origin keeps one page from using another page's key, but does not stop programs.
struct RequestSource: Sendable {
    var origin: String?
    /// How the page's origin is related to that of the request.
    var fetchSite: String?
    /// The host and port to which the request was sent.
    var host: String?
    /// Whether the service serves pages. Then a page with the request's own origin is one of them.
    var servesPages = false
    /// The client's name in limits: its address. Nil if the service does not know it.
    var client: String?

    var isBrowser: Bool { origin != nil || fetchSite != nil }

    /// Checks that the request comes from a page that may use a key.
    /// - Throws: `Problem` if it does not, or if that is unknown.
    func require(_ allowed: AllowedOrigins) throws {
        // Browsers send no Origin with a GET of the page's own origin.
        if fetchSite == "same-origin" {
            if servesPages { return }
            if origin == nil, let host, allowed.contains(host: host) { return }
        }
        guard let origin else { throw Problem.noOrigin }
        guard allowed.contains(origin) else { throw Problem.originNotAllowed }
    }
}

/// A request's context with the other end of its connection.
struct ServiceContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// A proxy, or the client.
    let peer: SocketAddress?
    let channel: any Channel

    init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress
        channel = source.channel
    }
}

/// The settings for browsers: whether the service serves pages, and which proxies it trusts about addresses.
struct BrowserSettings: Sendable {
    var servesPages = false
    /// The proxies in front of the service. Only their `X-Forwarded-For` counts: anyone can send one.
    var proxies: Set<IPAddress> = []
    /// Whether requests come from other nodes, which name the client's address.
    var isBehindNodes = false

    func source(of request: Request, _ context: ServiceContext) -> RequestSource {
        var source = RequestSource()
        source.origin = request.headers[.origin]
        source.fetchSite = request.headers[.secFetchSite]
        // Of accepted requests, only those of browsers are counted by address.
        guard source.isBrowser else { return source }
        source.host = request.head.authority
        source.servesPages = servesPages
        source.client = client(of: request, context)
        return source
    }

    /// The client's name in limits: its address. Nil if the service does not know it.
    func client(of request: Request, _ context: ServiceContext) -> String? {
        address(of: request, context)?.clientName
    }

    /// The nearest address that is no proxy's; nil if the service does not know it.
    func address(of request: Request, _ context: ServiceContext) -> IPAddress? {
        guard let peer = context.peer?.ipAddress.flatMap({ IPAddress($0) }) else { return nil }
        guard isBehindNodes || proxies.contains(peer) else { return peer }
        var nearest = peer
        let hops = request.headers[values: .forwardedFor].flatMap { $0.split(separator: ",") }
        for hop in hops.reversed() {
            guard let address = IPAddress(forwarded: hop) else { return nearest }
            nearest = address
            if !proxies.contains(address) { break }
        }
        return nearest
    }
}

extension HTTPField.Name {
    static let forwardedFor = known("X-Forwarded-For")
    static let secFetchSite = known("Sec-Fetch-Site")

    /// A name that is valid.
    static func known(_ name: String) -> Self {
        guard let name = Self(name) else { preconditionFailure("a header's name") }
        return name
    }
}
