import NIOCore
package import NIOSSL

/// The protection of a link.
public enum PushSecurity: Sendable, Equatable {
    /// TLS 1.2 with a pre-shared key. Both ends prove that they have the secret, and nothing is sent in clear.
    case sharedSecret(SharedSecret)
    /// No protection: everybody on the network can read, change and forge everything.
    case insecure

    /// The only cipher suite. BoringSSL knows pre-shared keys in TLS 1.2 alone. Of its three suites with an ephemeral
    /// key exchange this one is not in CBC mode. The exchange keeps earlier links secret if the secret becomes known
    /// later.
    static let cipherSuite = "ECDHE-PSK-CHACHA20-POLY1305"
    static let identity = "simplepush"

    private static var base: TLSConfiguration {
        var configuration = TLSConfiguration.makePreSharedKeyConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.maximumTLSVersion = .tlsv12
        configuration.cipherSuites = cipherSuite
        configuration.curves = [.x25519]
        configuration.shutdownTimeout = .seconds(1)
        return configuration
    }

    /// The TLS context for every link of a server; nil without protection.
    package func serverContext() throws -> NIOSSLContext? {
        guard case .sharedSecret(let secret) = self else { return nil }
        var configuration = Self.base
        configuration.pskServerProvider = { _ in PSKServerIdentityResponse(key: NIOSSLSecureBytes(secret.bytes)) }
        return try NIOSSLContext(configuration: configuration)
    }

    /// The TLS context for every link of a client; nil without protection.
    package func clientContext() throws -> NIOSSLContext? {
        guard case .sharedSecret(let secret) = self else { return nil }
        var configuration = Self.base
        configuration.pskClientProvider = { _ in
            PSKClientIdentityResponse(key: NIOSSLSecureBytes(secret.bytes), identity: Self.identity)
        }
        return try NIOSSLContext(configuration: configuration)
    }
}
