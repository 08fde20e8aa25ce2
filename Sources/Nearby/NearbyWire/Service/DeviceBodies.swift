public import Foundation

/// The body of `POST /v1/devices`; every part is optional.
public struct SessionOrderBody: Codable, Sendable, Hashable {
    /// The versions of sealing that the client supports; nil for none. Not `Int`, because Foundation reads 1e-42 as an
    /// integer without an error.
    public let sealing: [Double]?

    /// Sets the property of the same name.
    public init(sealing: [Int]) { self.sealing = sealing.map(Double.init) }
}

/// How the devices of a project seal their messages; section 12 of docs/PROTOCOL.md.
public struct SealingBody: Codable, Sendable, Hashable {
    /// The version of the section.
    public let version: Int
    /// S, 16 bytes.
    public let salt: Data
    /// The rounds of PBKDF2.
    public let rounds: Int

    /// Sets the properties of the same names.
    public init(version: Int, salt: Data, rounds: Int) {
        (self.version, self.salt, self.rounds) = (version, salt, rounds)
    }
}

/// The answer of `POST /v1/devices`.
public struct SessionBody: Codable, Sendable, Hashable {
    /// The promises and limits of the service.
    public struct Terms: Codable, Sendable, Hashable {
        /// The life of a token, in seconds.
        public let tokenLifetimeSeconds: Int
        /// How long a sighting is valid without another one, in seconds.
        public let sightingLifetimeSeconds: Int
        /// The silence after which a device counts as gone, in seconds.
        public let silenceSeconds: Int
        /// The maximum time to live of a publication or subscription, in seconds.
        public let maximumTimeToLiveSeconds: Int
        /// The maximum size of a message's content, in bytes.
        public let contentBytes: Int
        /// The maximum number of tokens in a report.
        public let tokensPerReport: Int
        /// How to seal messages; nil in an open project.
        public let sealing: SealingBody?

        enum CodingKeys: String, CodingKey {
            case sealing
            case tokenLifetimeSeconds = "token_lifetime_s"
            case sightingLifetimeSeconds = "sighting_lifetime_s"
            case silenceSeconds = "silence_s"
            case maximumTimeToLiveSeconds = "longest_ttl_s"
            case contentBytes = "content_bytes"
            case tokensPerReport = "tokens_per_report"
        }

        /// Sets the properties of the same names.
        public init(
            tokenLifetimeSeconds: Int, sightingLifetimeSeconds: Int, silenceSeconds: Int,
            maximumTimeToLiveSeconds: Int, contentBytes: Int, tokensPerReport: Int, sealing: SealingBody? = nil
        ) {
            self.tokenLifetimeSeconds = tokenLifetimeSeconds
            self.sightingLifetimeSeconds = sightingLifetimeSeconds
            self.silenceSeconds = silenceSeconds
            self.maximumTimeToLiveSeconds = maximumTimeToLiveSeconds
            self.contentBytes = contentBytes
            self.tokensPerReport = tokensPerReport
            self.sealing = sealing
        }
    }

    /// The device's name for logs, not secret.
    public let device: String?
    /// The session's secret.
    public let session: String
    /// The life of the session, in seconds.
    public let expiresInSeconds: Int?
    /// The service's terms. Like every value that a client does not need, nil if the service does not send them.
    public let terms: Terms?

    enum CodingKeys: String, CodingKey {
        case device, session, terms
        case expiresInSeconds = "expires_in_s"
    }

    /// Sets the properties of the same names.
    public init(device: String, session: String, expiresInSeconds: Int, terms: Terms) {
        self.device = device
        self.session = session
        self.expiresInSeconds = expiresInSeconds
        self.terms = terms
    }
}

/// The answer to a refused request, and the data of the event `end`.
public struct ProblemBody: Codable, Sendable, Hashable {
    /// What is wrong.
    public struct Content: Codable, Sendable, Hashable {
        /// For programs: the meaning of a code never changes.
        public let code: String
        /// For people: the error, with the value and the limit.
        public let message: String?
        /// For people: the remedy.
        public let remedy: String?
    }

    /// What is wrong.
    public let problem: Content

    /// A problem of these values.
    public init(code: String, message: String, remedy: String) {
        problem = Content(code: code, message: message, remedy: remedy)
    }
}
