import NIOCore
import NIOPosix
import NIOSSL

/// The reason why a link could not be opened, or why it ended.
public enum LinkFailure: Error, Equatable, CustomStringConvertible {
    /// Nothing answers at the address.
    case unreachable(ServerAddress, String)
    /// The server and this client have different secrets.
    case wrongSecret(ServerAddress)
    /// The server does not speak TLS, or speaks it without our way of proving the secret.
    case noTLS(ServerAddress)
    /// The server speaks TLS, and the client does not.
    case onlyTLS(ServerAddress)
    /// The server refused the link and said why.
    case refused(Refusal)
    /// The server said nothing for this time, in seconds.
    case silent(Double)
    /// The server closed the link without giving a reason.
    case closed
    /// The server sent invalid data.
    case malformed(String)
    /// This end closed the link.
    case closedHere

    /// A sentence.
    public var description: String {
        switch self {
        case .unreachable(let address, let reason): "No server answers at \(address): \(reason)."
        case .wrongSecret(let address):
            "The server at \(address) has another secret. Copy the server's secret file to this machine."
        case .noTLS(let address):
            "The server at \(address) does not speak TLS with a shared secret. It runs with --insecure, or is no "
                + "simplepush-server."
        case .onlyTLS(let address):
            "The server at \(address) wants TLS. Leave --insecure out, and name the secret file."
        case .refused(let refusal): refusal.sentence
        case .silent(let seconds): "The server said nothing for \(Int(seconds.rounded())) s."
        case .closed: "The server closed the link."
        case .malformed(let reason): "The server sent what this program does not understand. \(reason)"
        case .closedHere: "The link is closed."
        }
    }

    /// Whether further attempts fail until the user changes a setting.
    public var needsHelp: Bool {
        switch self {
        case .wrongSecret, .noTLS, .onlyTLS: true
        case .refused(let refusal):
            switch refusal.code {
            case .version, .malformed, .wrongKey, .replaced: true
            default: false
            }
        case .unreachable, .silent, .closed, .malformed, .closedHere: false
        }
    }

    /// The failure of the link for an error of the channel.
    init(_ error: any Error, at address: ServerAddress) {
        switch error {
        case let failure as LinkFailure: self = failure
        case let error as WireError:
            // The first bytes of a TLS record, read as a length: type 21 or 22, version 3.
            if case .length(let length, _) = error, length >> 16 == 0x1503 || length >> 16 == 0x1603 {
                self = .onlyTLS(address)
            } else {
                self = .malformed(error.description)
            }
        case NIOSSLError.handshakeFailed(let cause):
            self = Self.isWrongKey(cause) ? .wrongSecret(address) : .noTLS(address)
        case let error as BoringSSLError where Self.isWrongKey(error): self = .wrongSecret(address)
        case let error as NIOConnectionError:
            self = .unreachable(address, Self.reason(error))
        case let error as IOError: self = .unreachable(address, Self.reason(error))
        case is ChannelError: self = .unreachable(address, "it did not answer in time")
        default: self = .closed
        }
    }

    /// An end with another key cannot read the other's first encrypted record.
    private static func isWrongKey(_ error: BoringSSLError) -> Bool {
        let text = String(describing: error)
        return ["BAD_RECORD_MAC", "DECRYPTION_FAILED", "DECRYPT_ERROR", "BAD_DECRYPT", "DIGEST_CHECK_FAILED"].contains {
            text.contains($0)
        }
    }

    private static func reason(_ error: NIOConnectionError) -> String {
        if let first = error.connectionErrors.first?.error {
            if let error = first as? IOError { return reason(error) }
            return "it did not answer in time"
        }
        return "there is no host of this name"
    }

    private static func reason(_ error: IOError) -> String { systemReason(error.errnoCode) }
}
