public import Foundation

/// A duration in a request, in whole seconds. JSON has one kind of number, so 60.0 is whole as well.
public struct WholeSeconds: Codable, Sendable, Hashable {
    /// The duration. Numbers beyond any valid range stay beyond it: -1 s, or 2⁴⁰ s.
    public let duration: Duration

    /// The whole seconds of a duration.
    public init(_ duration: Duration) { self.duration = .seconds(duration.components.seconds) }

    /// The number of the JSON.
    /// - Throws: a `DecodingError.typeMismatch` if it is no whole number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let seconds = try? container.decode(Int.self) else {
            throw DecodingError.typeMismatch(
                WholeSeconds.self, .init(codingPath: decoder.codingPath, debugDescription: "no whole number"))
        }
        duration = .seconds(min(max(seconds, -1), 1 << 40))
    }

    /// Writes the number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(duration.components.seconds)
    }
}

/// The next token of a publication or subscription of a sealed project, which its device draws.
public struct TokenOfferBody: Codable, Sendable, Hashable {
    /// The identifier of the token, 16 hexadecimal digits.
    public let token: String
    /// The key of a publication, wrapped for the token, 60 bytes; nil of a subscription.
    public let key: Data?

    /// Sets the properties of the same names.
    public init(token: String, key: Data?) { (self.token, self.key) = (token, key) }
}

/// The body of `POST /v1/publications`.
public struct PublicationOrderBody: Codable, Sendable, Hashable {
    /// The namespace of the message; nil for the empty one.
    public let namespace: String?
    /// The type of the message; nil for the empty one.
    public let type: String?
    /// The message.
    public let content: Data
    /// How long to keep it; nil for the service's default.
    public let timeToLive: WholeSeconds?
    /// The same order with the same key is carried out once.
    public let idempotencyKey: String?
    /// The token of a sealed message; nil in an open project.
    public let token: TokenOfferBody?

    enum CodingKeys: String, CodingKey {
        case namespace, type, content, token
        case timeToLive = "ttl_s"
        case idempotencyKey = "idempotency_key"
    }

    /// Sets the properties of the same names.
    public init(
        namespace: String, type: String, content: Data, timeToLive: Duration, idempotencyKey: String,
        token: TokenOfferBody? = nil
    ) {
        self.token = token
        self.namespace = namespace
        self.type = type
        self.content = content
        self.timeToLive = WholeSeconds(timeToLive)
        self.idempotencyKey = idempotencyKey
    }
}

/// The body of `POST /v1/subscriptions`.
public struct SubscriptionOrderBody: Codable, Sendable, Hashable {
    /// The namespace of the messages; nil for the empty one.
    public let namespace: String?
    /// The type of the messages; nil or empty for all types.
    public let type: String?
    /// How long to keep it; nil for the service's default.
    public let timeToLive: WholeSeconds?
    /// The same order with the same key is carried out once.
    public let idempotencyKey: String?
    /// The token in a sealed project; nil in an open one.
    public let token: TokenOfferBody?

    enum CodingKeys: String, CodingKey {
        case namespace, type, token
        case timeToLive = "ttl_s"
        case idempotencyKey = "idempotency_key"
    }

    /// Sets the properties of the same names.
    public init(
        namespace: String, type: String, timeToLive: Duration, idempotencyKey: String, token: TokenOfferBody? = nil
    ) {
        self.token = token
        self.namespace = namespace
        self.type = type
        self.timeToLive = WholeSeconds(timeToLive)
        self.idempotencyKey = idempotencyKey
    }
}

/// The body of a renewal; all of it is optional.
public struct RenewalBody: Codable, Sendable, Hashable {
    /// How long to keep it from now on; nil for the service's default.
    public let timeToLive: WholeSeconds?
    /// The next token in a sealed project; nil in an open one.
    public let token: TokenOfferBody?

    enum CodingKeys: String, CodingKey {
        case token
        case timeToLive = "ttl_s"
    }

    /// A renewal for this time.
    public init(timeToLive: Duration, token: TokenOfferBody? = nil) {
        self.timeToLive = WholeSeconds(timeToLive)
        self.token = token
    }
}

/// The token to send as sound, its expiry, and the time to ask for the next.
public struct TokenBody: Codable, Sendable, Hashable {
    /// 16 hexadecimal digits; in a sealed project those of the identifier.
    public let token: String
    /// The life of the token, in seconds.
    public let expiresInSeconds: Int
    /// The time to ask for the next, in seconds from now.
    public let rotateInSeconds: Int

    enum CodingKeys: String, CodingKey {
        case token
        case expiresInSeconds = "expires_in_s"
        case rotateInSeconds = "rotate_in_s"
    }

    /// Sets the properties of the same names.
    public init(token: String, expiresInSeconds: Int, rotateInSeconds: Int) {
        self.token = token
        self.expiresInSeconds = expiresInSeconds
        self.rotateInSeconds = rotateInSeconds
    }
}

/// A publication or subscription, as its device sees it.
public struct RegistrationBody: Codable, Sendable, Hashable {
    /// Its name at the service.
    public let id: String
    /// The namespace of the messages; nil if the service does not tell.
    public let namespace: String?
    /// The type of the messages; nil if the service does not tell.
    public let type: String?
    /// The size of a publication's message, in bytes; nil for a subscription.
    public let contentBytes: Int?
    /// How long the service keeps it without a renewal, in seconds.
    public let expiresInSeconds: Int
    /// The token to send; nil in a list.
    public let token: TokenBody?

    enum CodingKeys: String, CodingKey {
        case id, namespace, type, token
        case contentBytes = "content_bytes"
        case expiresInSeconds = "expires_in_s"
    }

    /// Sets the properties of the same names.
    public init(
        id: String, namespace: String, type: String, contentBytes: Int?, expiresInSeconds: Int, token: TokenBody?
    ) {
        self.id = id
        self.namespace = namespace
        self.type = type
        self.contentBytes = contentBytes
        self.expiresInSeconds = expiresInSeconds
        self.token = token
    }
}
