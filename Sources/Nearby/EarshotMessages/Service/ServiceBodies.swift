import EarshotCoding
import EarshotDiscovery
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

    struct Sightings: Encodable {
        struct Heard: Encodable {
            let token: String
            let medium: String?
            let rssi: Int?
            let age: Double?

            enum CodingKeys: String, CodingKey {
                case token, medium
                case rssi = "rssi_dbm"
                case age = "age_s"
            }

            init(_ token: Payload, _ reception: Reception?) {
                self.token = token.hex
                medium = reception?.medium.name
                rssi = reception?.rssiDecibelMilliwatts
                // Milliseconds are enough, and print short.
                age = reception.map { (max($0.age, .zero) / .milliseconds(1)).rounded() / 1_000 }
            }
        }

        let heard: [Heard]
        let lost: [String]

        init(_ report: SightingReport) {
            heard = report.heard.map { Heard($0, report.receptions[$0]) }
            lost = report.lost.map(\.hex)
        }
    }

    struct SightingsAnswer: Decodable {
        struct Entry: Decodable {
            let token: String
            let status: String
        }

        let heard: [Entry]
    }

    struct LookUp: Encodable {
        let beacons: [String]
        let namespace: String
        let type: String
    }

    struct LookUpAnswer: Decodable {
        struct Attachment: Decodable {
            let beacon: String
            let id: String
            let namespace: String
            let type: String
            let data: Data
        }

        let attachments: [Attachment]
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
