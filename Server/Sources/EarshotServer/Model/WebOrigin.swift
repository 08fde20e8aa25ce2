/// The origin of a web page in the form of the header `Origin`: scheme, host, and the port if it is not the scheme's
/// default.
package struct WebOrigin: Sendable, Hashable {
    /// Such as `https://example.org` or `http://localhost:8000`.
    package let text: String

    /// Reads an operator's text and normalises it as browsers do: lower case, without the scheme's default port.
    /// - Throws: `WebOriginError` if the text is not an origin, or has more than an origin.
    package init(_ text: String) throws(WebOriginError) {
        let lower = text.lowercased()
        guard let scheme = ["https", "http"].first(where: { lower.hasPrefix($0 + "://") }) else {
            throw WebOriginError("'\(text)' begins with neither 'https://' nor 'http://'.")
        }
        let authority = lower.dropFirst(scheme.count + "://".count)
        guard !authority.contains(where: { "/?#\\".contains($0) }) else {
            throw WebOriginError("'\(text)' has a path; an origin ends after the host, or after its port.")
        }
        guard !authority.contains("@") else { throw WebOriginError("'\(text)' has a user, which no origin has.") }
        let (host, port) = try Self.split(authority, of: text)
        self.text = "\(scheme)://\(host)" + (port == (scheme == "https" ? 443 : 80) ? "" : port.map { ":\($0)" } ?? "")
    }

    private static func split(_ authority: Substring, of text: String) throws(WebOriginError) -> (String, Int?) {
        let host: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]"),
                let address = IPAddress(String(authority[authority.index(after: authority.startIndex)..<end])),
                address.bytes.count == 16
            else { throw WebOriginError("'\(text)' has brackets without an IPv6 address.") }
            let port = try Self.port(authority[authority.index(after: end)...], of: text)
            return ("[\(address.text)]", port)
        }
        host = authority.prefix { $0 != ":" }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count)
                && label.utf8.allSatisfy { byte in
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
                        || byte == UInt8(ascii: "_")
                }
        }
        guard isName, host.utf8.count <= 253 else {
            throw WebOriginError("'\(text)' has no host of letters, digits, '-' and '.'; write others as 'xn--…'.")
        }
        return (String(host), try port(authority[host.endIndex...], of: text))
    }

    /// The number after a colon; nil for an empty text.
    private static func port(_ rest: Substring, of text: String) throws(WebOriginError) -> Int? {
        guard !rest.isEmpty else { return nil }
        let digits = rest.dropFirst()
        guard rest.first == ":", digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = Int(digits), (1...65_535).contains(port)
        else { throw WebOriginError("'\(text)' has a port that is not 1 to 65535.") }
        return port
    }

    /// The host, and the port if it is not the scheme's default: the header `Host` of a request to this origin.
    fileprivate static func authority(of text: String) -> Substring {
        guard let colon = text.firstIndex(of: ":") else { return "" }
        return text[colon...].dropFirst("://".count)
    }
}

/// The reason why a text is not an origin.
package struct WebOriginError: Error, CustomStringConvertible, Equatable {
    package let description: String

    init(_ reason: String) {
        description = "\(reason) An origin is a scheme, a host and perhaps a port, such as 'https://example.org'."
    }
}

/// The pages that may use a browser key: pages of these origins, and pages that the service itself serves.
package struct AllowedOrigins: Sendable, Equatable {
    package let texts: [String]

    package init(_ origins: [WebOrigin]) {
        var seen: Set<WebOrigin> = []
        texts = origins.filter { seen.insert($0).inserted }.map(\.text)
    }

    /// Reads the database column: the origins, separated by spaces.
    init(stored: String) { texts = stored.split(separator: " ").map(String.init) }

    var stored: String { texts.joined(separator: " ") }

    func contains(_ origin: String) -> Bool { texts.contains(origin) }

    /// Whether one of the origins has this host and port.
    func contains(host: String) -> Bool { texts.contains { WebOrigin.authority(of: $0) == host.lowercased() } }
}
