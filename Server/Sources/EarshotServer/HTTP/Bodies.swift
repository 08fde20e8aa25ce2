import EarshotCoding
import FoundationEssentials
import NIOCore

// The bodies of requests and answers. The OpenAPI document describes the same, and a test compares them.

/// The answer of `POST /v1/devices`.
struct SessionBody: Codable {
    struct Terms: Codable {
        let tokenLifetimeSeconds: Int
        let sightingLifetimeSeconds: Int
        let silenceSeconds: Int
        let maximumTimeToLiveSeconds: Int
        let contentBytes: Int
        let tokensPerReport: Int

        enum CodingKeys: String, CodingKey {
            case tokenLifetimeSeconds = "token_lifetime_s"
            case sightingLifetimeSeconds = "sighting_lifetime_s"
            case silenceSeconds = "silence_s"
            case maximumTimeToLiveSeconds = "longest_ttl_s"
            case contentBytes = "content_bytes"
            case tokensPerReport = "tokens_per_report"
        }
    }

    let device: String
    let session: String
    let expiresInSeconds: Int
    let terms: Terms

    enum CodingKeys: String, CodingKey {
        case device, session, terms
        case expiresInSeconds = "expires_in_s"
    }

    init(_ session: Session, secret: String, limits: ServiceLimits, now: Moment) {
        device = session.identifier
        self.session = secret
        expiresInSeconds = now.seconds(until: session.expires)
        terms = Terms(
            tokenLifetimeSeconds: Int(limits.tokenLifetime.components.seconds),
            sightingLifetimeSeconds: Int(limits.sightingLifetime.components.seconds),
            silenceSeconds: Int(limits.silence.components.seconds),
            maximumTimeToLiveSeconds: Int(limits.maximumTimeToLive.components.seconds),
            contentBytes: limits.contentBytes, tokensPerReport: limits.tokensPerReport)
    }
}

/// The answer of `GET /v1/device`.
struct DeviceBody: Codable {
    let device: String
    let expiresInSeconds: Int

    enum CodingKeys: String, CodingKey {
        case device
        case expiresInSeconds = "expires_in_s"
    }
}

/// The token to send as sound, its expiry, and the time to ask for the next.
struct TokenBody: Codable {
    let token: String
    let expiresInSeconds: Int
    let rotateInSeconds: Int

    enum CodingKeys: String, CodingKey {
        case token
        case expiresInSeconds = "expires_in_s"
        case rotateInSeconds = "rotate_in_s"
    }

    init(_ token: IssuedToken, limits: ServiceLimits, now: Moment) {
        self.token = token.bytes.hex
        expiresInSeconds = now.seconds(until: token.expires)
        rotateInSeconds = now.seconds(until: token.issued + limits.tokenLifetime / 2)
    }
}

/// A duration in a request. JSON has one kind of number, so 60.0 is whole as well.
struct WholeSeconds: Codable {
    let duration: Duration

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let seconds = try? container.decode(Int.self) else {
            throw DecodingError.typeMismatch(
                WholeSeconds.self, .init(codingPath: decoder.codingPath, debugDescription: "no whole number"))
        }
        // Numbers beyond any valid range stay beyond it, and the limits reject them.
        duration = .seconds(min(max(seconds, -1), 1 << 40))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(duration.components.seconds)
    }
}

/// The body of `POST /v1/publications`.
struct PublicationOrderBody: Codable {
    let namespace: String?
    let type: String?
    let content: Data
    let timeToLive: WholeSeconds?
    let idempotencyKey: String?

    enum CodingKeys: String, CodingKey {
        case namespace, type, content
        case timeToLive = "ttl_s"
        case idempotencyKey = "idempotency_key"
    }
}

/// The body of `POST /v1/subscriptions`.
struct SubscriptionOrderBody: Codable {
    let namespace: String?
    let type: String?
    let timeToLive: WholeSeconds?
    let idempotencyKey: String?

    enum CodingKeys: String, CodingKey {
        case namespace, type
        case timeToLive = "ttl_s"
        case idempotencyKey = "idempotency_key"
    }
}

/// The body of a renewal; all of it is optional.
struct RenewalBody: Codable {
    let timeToLive: WholeSeconds?

    enum CodingKeys: String, CodingKey { case timeToLive = "ttl_s" }
}

/// A publication, as its device sees it. Without a token in a list.
struct PublicationBody: Codable {
    let id: String
    let namespace: String
    let type: String
    let contentBytes: Int
    let expiresInSeconds: Int
    let token: TokenBody?

    enum CodingKeys: String, CodingKey {
        case id, namespace, type, token
        case contentBytes = "content_bytes"
        case expiresInSeconds = "expires_in_s"
    }

    init(_ publication: Publication, token: TokenBody? = nil, now: Moment) {
        id = publication.identifier
        namespace = publication.namespace
        type = publication.type
        contentBytes = publication.contentCount
        expiresInSeconds = now.seconds(until: publication.expires)
        self.token = token
    }
}

/// A subscription, as its device sees it. Without a token in a list.
struct SubscriptionBody: Codable {
    let id: String
    let namespace: String
    let type: String
    let expiresInSeconds: Int
    let token: TokenBody?

    enum CodingKeys: String, CodingKey {
        case id, namespace, type, token
        case expiresInSeconds = "expires_in_s"
    }

    init(_ subscription: Subscription, token: TokenBody? = nil, now: Moment) {
        id = subscription.identifier
        namespace = subscription.filter.namespace
        type = subscription.filter.type
        expiresInSeconds = now.seconds(until: subscription.expires)
        self.token = token
    }
}

/// The answer of `GET /v1/publications`.
struct PublicationListBody: Codable { let publications: [PublicationBody] }

/// The answer of `GET /v1/subscriptions`.
struct SubscriptionListBody: Codable { let subscriptions: [SubscriptionBody] }

/// The body of `POST /v1/sightings`. A token is 16 hexadecimal digits; any other text is INVALID.
struct SightingsBody: Codable {
    let heard: [HeardBody]?
    let lost: [String]?
}

/// A heard token: its digits, or an object that also says how it was heard.
struct HeardBody: Codable {
    let token: String
    let medium: String?
    let rssi: Int?
    let ageSeconds: Double?

    enum CodingKeys: String, CodingKey {
        case token, medium
        case rssi = "rssi_dbm"
        case ageSeconds = "age_s"
    }

    init(from decoder: any Decoder) throws {
        if let token = try? decoder.singleValueContainer().decode(String.self) {
            (self.token, medium, rssi, ageSeconds) = (token, nil, nil, nil)
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        token = try container.decode(String.self, forKey: .token)
        medium = try container.decodeIfPresent(String.self, forKey: .medium)
        rssi = try container.decodeIfPresent(Int.self, forKey: .rssi)
        ageSeconds = try container.decodeIfPresent(Double.self, forKey: .ageSeconds)
    }
}

extension HeardToken {
    init(_ body: HeardBody) {
        // Ages beyond any valid range stay beyond it, and the limits reject them.
        let milliseconds = Int64(min(max((body.ageSeconds ?? 0) * 1_000, -1), 1e12))
        self.init(
            bytes: Data(token: body.token), medium: body.medium, rssiDecibelMilliwatts: body.rssi,
            age: .milliseconds(milliseconds))
    }
}

/// The answer of `POST /v1/sightings`.
struct SightingsAnswerBody: Codable {
    struct Entry: Codable {
        let token: String
        let status: TokenStatus
    }

    let heard: [Entry]
    let lost: [Entry]

    /// The same bytes as `jsonData`, without the encoder: most requests are reports.
    func json() throws -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(32 + 48 * (heard.count + lost.count))
        buffer.writeString(#"{"heard":["#)
        try Self.write(heard, to: &buffer)
        buffer.writeString(#"],"lost":["#)
        try Self.write(lost, to: &buffer)
        buffer.writeString("]}")
        return buffer
    }

    private static func write(_ entries: [Entry], to buffer: inout ByteBuffer) throws {
        for (index, entry) in entries.enumerated() {
            buffer.writeString(index == 0 ? #"{"status":""# : #",{"status":""#)
            buffer.writeString(entry.status.rawValue)
            buffer.writeString(#"","token":"#)
            // A client may send any text as a token.
            if entry.token.utf8.allSatisfy({ $0.hexadecimalValue != nil }) {
                buffer.writeString("\"")
                buffer.writeString(entry.token)
                buffer.writeString("\"}")
            } else {
                buffer.writeBytes(try jsonData(entry.token))
                buffer.writeString("}")
            }
        }
    }
}

/// The data of the events `found` and `lost`.
struct ChangeBody: Codable {
    struct Content: Codable {
        let id: String
        let namespace: String
        let type: String
        let content: Data
    }

    let subscription: String
    let message: Content

    init(_ change: Change) {
        subscription = change.subscription
        message = Content(
            id: change.publication, namespace: change.message.namespace, type: change.message.type,
            content: change.message.content)
    }
}

/// The data of the event `ready`.
struct ReadyBody: Codable { let resumed: Bool }

/// The answer of `GET /healthz`.
struct HealthBody: Codable { let status: String }

extension Sequence<UInt8> {
    /// The bytes as hexadecimal text, two digits a byte.
    var hex: String {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10 }
        return String(decoding: flatMap { [digit($0 >> 4), digit($0 & 15)] }, as: UTF8.self)
    }
}

extension Data {
    /// A token from its 16 digits; empty for any other text, which then matches no token.
    init(token text: String) {
        self = Data()
        guard text.utf8.count == 2 * Payload.tokenCount else { return }
        var digits = text.utf8.makeIterator()
        var bytes = Data(capacity: Payload.tokenCount)
        while let first = digits.next(), let second = digits.next() {
            guard let high = first.hexadecimalValue, let low = second.hexadecimalValue else { return }
            bytes.append(high << 4 | low)
        }
        self = bytes
    }
}

extension UInt8 {
    /// The value of an ASCII character as a hexadecimal digit, of either case; nil if it is none.
    var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
