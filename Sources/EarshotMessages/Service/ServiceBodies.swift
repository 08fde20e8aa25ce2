import EarshotCoding
import Foundation

/// The JSON bodies of docs/SERVICE.md.
enum ServiceBodies {
    struct Session: Decodable {
        let session: String
    }

    struct Order: Encodable {
        var namespace: String
        var type: String
        var content: Data?
        var timeToLive: Int64
        var idempotencyKey: String

        enum CodingKeys: String, CodingKey {
            case namespace, type, content
            case timeToLive = "ttl_s"
            case idempotencyKey = "idempotency_key"
        }
    }

    struct Renewal: Encodable {
        var timeToLive: Int64

        enum CodingKeys: String, CodingKey { case timeToLive = "ttl_s" }
    }

    struct Registered: Decodable {
        struct Token: Decodable {
            let token: String
            let expiresIn: Int
            let rotateIn: Int

            enum CodingKeys: String, CodingKey {
                case token
                case expiresIn = "expires_in_s"
                case rotateIn = "rotate_in_s"
            }
        }

        let id: String
        let expiresIn: Int
        let token: Token

        enum CodingKeys: String, CodingKey {
            case id, token
            case expiresIn = "expires_in_s"
        }
    }

    struct Sightings: Codable {
        var heard: [String]
        var lost: [String]
    }

    struct SightingsAnswer: Decodable {
        struct Entry: Decodable {
            let token: String
            let status: String
        }

        let heard: [Entry]
    }

    struct Change: Decodable {
        struct Content: Decodable {
            let id: String
            let namespace: String
            let type: String
            let content: Data
        }

        let subscription: String
        let message: Content
    }

    struct Ready: Decodable {
        let resumed: Bool
    }

    struct Problem: Decodable {
        struct Content: Decodable {
            let code: String
        }

        let problem: Content
    }
}

extension Payload {
    /// A token from the 16 digits that the service sends; nil if they are no token.
    init?(serviceToken text: String) {
        guard text.utf8.count == 2 * Payload.tokenCount, let token = try? Payload(hex: text),
            token.count == Payload.tokenCount
        else { return nil }
        self = token
    }
}

extension String {
    /// Whether the text can stand in a path or header without changing it. The service is not trusted.
    func isPlain(upTo count: Int) -> Bool {
        !isEmpty && utf8.count <= count && utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// Whether the text consists of letters, digits, `-` and `_`.
    func isIdentifier(upTo count: Int) -> Bool {
        isPlain(upTo: count)
            && unicodeScalars.allSatisfy { CharacterSet.alphanumerics.contains($0) || $0 == "-" || $0 == "_" }
    }
}
