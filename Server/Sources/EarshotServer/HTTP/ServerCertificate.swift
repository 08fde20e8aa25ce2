import Glibc
import NIOCore
import NIOSSL

/// A certificate with its chain and its private key, and the rules of TLS.
struct ServerCertificate: Sendable {
    private let chain: [NIOSSLCertificateSource]
    private let key: NIOSSLPrivateKeySource

    /// Reads PEM files.
    /// - Throws: `AdministrationError` if a file cannot be read, or if the key is not that of the certificate.
    init(certificatePath: String, privateKeyPath: String) throws {
        let (certificate, privateKey) = (
            "certificate '\(certificatePath)' (--tls-certificate)", "private key '\(privateKeyPath)' (--tls-key)"
        )
        for (path, name) in [(certificatePath, certificate), (privateKeyPath, privateKey)]
        where access(path, R_OK) != 0 {
            let (reason, remedy) = (
                String(cString: strerror(errno)),
                errno == EACCES
                    ? " The service's user must be able to read it; LoadCredential= of systemd lets it." : ""
            )
            throw AdministrationError(description: "Cannot read the \(name): \(reason).\(remedy)")
        }
        do {
            chain = try NIOSSLCertificate.fromPEMFile(certificatePath).map(NIOSSLCertificateSource.certificate)
        } catch {
            throw AdministrationError(description: "The \(certificate) is no certificate in PEM form.")
        }
        do {
            key = .privateKey(try NIOSSLPrivateKey(file: privateKeyPath, format: .pem))
        } catch {
            throw AdministrationError(
                description: "The \(privateKey) is no key in PEM form, or a password protects it.")
        }
        do {
            // Only the creation of a context compares the key with the certificate.
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            throw AdministrationError(description: "The \(privateKey) is not that of the \(certificate).")
        }
    }

    /// The suites of TLS 1.2 with ephemeral keys and authenticated encryption: an attacker who records the traffic and
    /// steals the server's key later cannot read it (RFC 9325, section 4.2). All suites of 1.3 have these properties.
    private static let cipherSuites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    private var configuration: TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: key)
        // RFC 8996 forbids 1.0 and 1.1, which the library still accepts by default.
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = Self.cipherSuites
        return configuration
    }

    /// The configuration of a listener. Each handshake uses the current certificate.
    func configuration(_ settings: SharedSettings) -> TLSConfiguration {
        var configuration = configuration
        configuration.sslContextCallback = { _, promise in
            var override = NIOSSLContextConfigurationOverride.noChanges
            if let present = settings.now.certificate {
                override.certificateChain = present.chain
                override.privateKey = present.key
            }
            promise.succeed(override)
        }
        return configuration
    }
}
