public import Foundation

/// The body of `POST /v1/sightings`.
public struct SightingsBody: Codable, Sendable, Hashable {
    /// The tokens that the device hears; nil for none.
    public let heard: [HeardBody]?
    /// The tokens that it no longer hears, 16 hexadecimal digits each; nil for none.
    public let lost: [String]?
    /// In a sealed project, the keys of own publications for heard tokens; nil for none.
    public let keys: [PublicationKeyBody]?

    /// Sets the properties of the same names.
    public init(heard: [HeardBody], lost: [String], keys: [PublicationKeyBody]? = nil) {
        self.heard = heard
        self.lost = lost
        self.keys = keys
    }
}

/// The key of a publication, wrapped for a token that its device hears.
public struct PublicationKeyBody: Codable, Sendable, Hashable {
    /// The identifier of the token, 16 hexadecimal digits.
    public let token: String
    /// The publication's name at the service.
    public let publication: String
    /// 60 bytes.
    public let key: Data

    /// Sets the properties of the same names.
    public init(token: String, publication: String, key: Data) {
        (self.token, self.publication, self.key) = (token, publication, key)
    }
}

/// A heard token: in JSON its digits, or an object that also has the time when it was heard. It is written as an
/// object.
public struct HeardBody: Codable, Sendable, Hashable {
    /// 16 hexadecimal digits.
    public let token: String
    /// The time since the token was last heard, in seconds; nil for now.
    public let ageSeconds: Double?

    enum CodingKeys: String, CodingKey {
        case token
        case ageSeconds = "age_s"
    }

    /// Sets the properties of the same names.
    public init(token: String, ageSeconds: Double? = nil) {
        self.token = token
        self.ageSeconds = ageSeconds
    }

    /// The token of a text or an object.
    /// - Throws: a `DecodingError` if it is neither.
    public init(from decoder: any Decoder) throws {
        if let token = try? decoder.singleValueContainer().decode(String.self) {
            self.init(token: token)
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            token: try container.decode(String.self, forKey: .token),
            ageSeconds: try container.decodeIfPresent(Double.self, forKey: .ageSeconds))
    }
}

/// The service's answer about a reported token.
public enum TokenStatus: String, Codable, Sendable, Hashable, CaseIterable {
    /// A publication or subscription of the project has the token.
    case valid = "VALID"
    /// The service has not issued it for the project.
    case invalid = "INVALID"
    /// Its time is over.
    case expired = "EXPIRED"
}

/// The answer of `POST /v1/sightings`.
public struct SightingsAnswerBody: Codable, Sendable, Hashable {
    /// A token with its status.
    public struct Entry: Codable, Sendable, Hashable {
        /// The token as it was reported.
        public let token: String
        /// The raw value of a `TokenStatus`, or another text of a newer service.
        public let status: String

        /// A token with its status.
        public init(token: String, status: TokenStatus) {
            self.token = token
            self.status = status.rawValue
        }
    }

    /// The tokens that were reported as heard.
    public let heard: [Entry]
    /// The tokens that were reported as lost; nil if the service does not send them.
    public let lost: [Entry]?

    /// Sets the properties of the same names.
    public init(heard: [Entry], lost: [Entry]) {
        self.heard = heard
        self.lost = lost
    }
}
