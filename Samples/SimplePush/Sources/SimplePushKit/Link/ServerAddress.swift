/// Where a server listens.
public struct ServerAddress: Sendable, Equatable, CustomStringConvertible {
    /// A name or an address.
    public var host: String
    /// A TCP port.
    public var port: Int

    /// A host and a port.
    public init(host: String, port: Int = WireFormat.defaultPort) {
        self.host = host
        self.port = port
    }

    /// `host:port`
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
