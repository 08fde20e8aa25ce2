/// The text of a host and a port in an address.
package enum HostAndPort {
    /// `host:port`, and `[host]:port` for an IPv6 address, https://www.rfc-editor.org/rfc/rfc3986#section-3.2.2
    package static func text(_ host: String, _ port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
