import Testing

@testable import EarshotServer

/// Origins as operators write them, and addresses of clients.
@Suite struct OriginTests {
    @Test(arguments: [
        ("https://example.org", "https://example.org"), ("HTTPS://Example.ORG", "https://example.org"),
        ("https://example.org:443", "https://example.org"), ("http://example.org:80", "http://example.org"),
        ("https://example.org:80", "https://example.org:80"), ("http://localhost:8000", "http://localhost:8000"),
        ("http://127.0.0.1:8787", "http://127.0.0.1:8787"),
        ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        ("http://[::1]:8787", "http://[::1]:8787"), ("https://[2001:DB8:0:0::1]", "https://[2001:db8::1]"),
    ])
    func aBrowserWritesIt(_ written: String, _ text: String) throws {
        #expect(try WebOrigin(written).text == text)
    }

    @Test(arguments: [
        "", "*", "null", "example.org", "//example.org", "ftp://example.org", "https://", "https://example.org/",
        "https://example.org/page", "https://example.org?x", "https://example.org#x", "https://user@example.org",
        "https://example.org:", "https://example.org:0", "https://example.org:65536", "https://example.org:+1",
        "https://example.org:80:80", "https://*.example.org", "https://bücher.example", "https://example..org",
        "https://exam ple.org", "https://[::1", "https://[example]", "https://[127.0.0.1]", "https://example.org\n",
        "https://a b", "https://a\u{0}b", "https://\(String(repeating: "x", count: 64)).org",
    ])
    func anOriginItIsNot(_ text: String) {
        #expect(throws: WebOriginError.self) { try WebOrigin(text) }
    }

    @Test func oneOfThem() throws {
        let origins = AllowedOrigins(
            try ["https://a.example", "http://localhost:8000", "https://A.example"].map { try WebOrigin($0) })
        #expect(origins.texts == ["https://a.example", "http://localhost:8000"])
        #expect(AllowedOrigins(stored: origins.stored) == origins)
        #expect(AllowedOrigins(stored: "").texts.isEmpty)
        for text in ["https://a.example", "http://localhost:8000"] { #expect(origins.contains(text)) }
        for text in ["http://a.example", "https://a.example:8000", "https://a.example.org", "https://b.a.example", ""] {
            #expect(!origins.contains(text), "\(text)")
        }
        #expect(origins.contains(host: "A.example") && origins.contains(host: "localhost:8000"))
        #expect(!origins.contains(host: "localhost") && !origins.contains(host: "") && !origins.contains(host: "a"))
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "20010db800010002/64"), ("2001:DB8:1:2::", "20010db800010002/64"),
    ])
    func oneClient(_ address: String, _ name: String) throws {
        #expect(try #require(IPAddress(address)).clientName == name)
    }

    @Test func forwardedAddresses() {
        for (text, address) in [
            (" 192.0.2.1 ", "192.0.2.1"), ("192.0.2.1:4711", "192.0.2.1"), ("[2001:db8::1]:4711", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"), ("2001:db8::1", "2001:db8::1"), ("::ffff:192.0.2.1", "192.0.2.1"),
        ] {
            #expect(IPAddress(forwarded: text)?.text == address, "\(text)")
        }
        for text in ["", "unknown", "_hidden", "192.0.2", "192.0.2.1.5", "192.0.2.1:x", "[", "[]", "example.org:80"] {
            #expect(IPAddress(forwarded: text) == nil, "\(text)")
        }
    }
}
