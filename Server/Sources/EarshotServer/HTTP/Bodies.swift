import EarshotCoding
import FoundationEssentials

// What is sent and answered. The OpenAPI document says the same, and a test compares them.

/// `POST /v1/devices` answers it.
struct SessionBody: Codable {
    struct Terms: Codable {
        let tokenLifetimeSeconds: Int
        let sightingLifetimeSeconds: Int
        let longestTimeToLiveSeconds: Int
        let contentBytes: Int
        let tokensPerReport: Int

        enum CodingKeys: String, CodingKey {
            case tokenLifetimeSeconds = "token_lifetime_s"
            case sightingLifetimeSeconds = "sighting_lifetime_s"
            case longestTimeToLiveSeconds = "longest_ttl_s"
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
            longestTimeToLiveSeconds: Int(limits.longestTimeToLive.components.seconds),
            contentBytes: limits.contentBytes, tokensPerReport: limits.tokensPerReport)
    }
}

/// `GET /v1/device` answers it.
struct DeviceBody: Codable {
    let device: String
    let expiresInSeconds: Int

    enum CodingKeys: String, CodingKey {
        case device
        case expiresInSeconds = "expires_in_s"
    }
}

/// What to say in sound, until when, and when to ask for the next.
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

/// `POST /v1/publications` takes it.
struct PublicationOrderBody: Codable {
    let namespace: String?
    let type: String?
    let content: Data
    let timeToLiveSeconds: Int?
    let idempotencyKey: String?

    enum CodingKeys: String, CodingKey {
        case namespace, type, content
        case timeToLiveSeconds = "ttl_s"
        case idempotencyKey = "idempotency_key"
    }
}

/// `POST /v1/subscriptions` takes it.
struct SubscriptionOrderBody: Codable {
    let namespace: String?
    let type: String?
    let timeToLiveSeconds: Int?
    let idempotencyKey: String?

    enum CodingKeys: String, CodingKey {
        case namespace, type
        case timeToLiveSeconds = "ttl_s"
        case idempotencyKey = "idempotency_key"
    }
}

/// Renewing takes it; all of it may be left out.
struct RenewalBody: Codable {
    let timeToLiveSeconds: Int?

    enum CodingKeys: String, CodingKey { case timeToLiveSeconds = "ttl_s" }
}

/// A publication, as its device sees it. Without a token where it is one of a list.
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

/// A subscription, as its device sees it. Without a token where it is one of a list.
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

/// `GET /v1/publications` answers it.
struct PublicationListBody: Codable { let publications: [PublicationBody] }

/// `GET /v1/subscriptions` answers it.
struct SubscriptionListBody: Codable { let subscriptions: [SubscriptionBody] }

/// `POST /v1/sightings` takes it. A token is 16 hexadecimal digits; whatever else stands there is INVALID.
struct SightingsBody: Codable {
    let heard: [String]?
    let lost: [String]?
}

/// `POST /v1/sightings` answers it.
struct SightingsAnswerBody: Codable {
    struct Entry: Codable {
        let token: String
        let status: TokenStatus
    }

    let heard: [Entry]
    let lost: [Entry]
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

/// `GET /healthz` answers it.
struct HealthBody: Codable { let status: String }

extension Data {
    /// Two digits a byte.
    var hex: String {
        reduce(into: "") { $0 += String($1 >> 4, radix: 16) + String($1 & 15, radix: 16) }
    }

    /// A token from its 16 digits; empty where it is none, and then nobody knows it.
    init(token text: String) {
        guard text.utf8.count == 2 * Payload.tokenCount, let token = try? Payload(hex: text),
            token.count == Payload.tokenCount
        else {
            self = Data()
            return
        }
        self = Data(token.bytes)
    }
}
