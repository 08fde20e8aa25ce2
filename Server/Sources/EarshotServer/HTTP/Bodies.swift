import EarshotCoding
import FoundationEssentials
import NIOCore
import NearbyWire

// Conversions between the bodies of NearbyWire and the service's values, and the bodies that none of our clients reads.
// The OpenAPI document describes all of them, and a test compares them.

extension SessionBody {
    init(_ session: Session, secret: String, limits: ServiceLimits, now: Moment) {
        self.init(
            device: session.identifier, session: secret, expiresInSeconds: now.seconds(until: session.expires),
            terms: Terms(
                tokenLifetimeSeconds: Int(limits.tokenLifetime.components.seconds),
                sightingLifetimeSeconds: Int(limits.sightingLifetime.components.seconds),
                silenceSeconds: Int(limits.silence.components.seconds),
                maximumTimeToLiveSeconds: Int(limits.maximumTimeToLive.components.seconds),
                contentBytes: limits.contentBytes, tokensPerReport: limits.tokensPerReport,
                sealing: session.salt.map {
                    SealingBody(version: Sealing.version, salt: $0, rounds: Sealing.rounds)
                }))
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

extension TokenBody {
    init(_ token: IssuedToken, limits: ServiceLimits, now: Moment) {
        self.init(
            token: token.bytes.hex, expiresInSeconds: now.seconds(until: token.expires),
            rotateInSeconds: now.seconds(until: token.issued + limits.tokenLifetime / 2))
    }
}

extension RegistrationBody {
    /// - Parameter token: nil in a list.
    init(_ publication: Publication, token: TokenBody? = nil, now: Moment) {
        self.init(
            id: publication.identifier, namespace: publication.namespace, type: publication.type,
            contentBytes: publication.contentCount, expiresInSeconds: now.seconds(until: publication.expires),
            token: token)
    }

    /// - Parameter token: nil in a list.
    init(_ subscription: Subscription, token: TokenBody? = nil, now: Moment) {
        self.init(
            id: subscription.identifier, namespace: subscription.filter.namespace, type: subscription.filter.type,
            contentBytes: nil, expiresInSeconds: now.seconds(until: subscription.expires), token: token)
    }
}

/// The answer of `GET /v1/publications`.
struct PublicationListBody: Codable { let publications: [RegistrationBody] }

/// The answer of `GET /v1/subscriptions`.
struct SubscriptionListBody: Codable { let subscriptions: [RegistrationBody] }

extension HeardToken {
    init(_ body: HeardBody) {
        // An age outside of any valid range stays outside, and the limits reject it.
        let milliseconds = Int64(min(max(((body.ageSeconds ?? 0) * 1_000).rounded(.awayFromZero), -1), 1e12))
        self.init(bytes: Data(token: body.token), age: .milliseconds(milliseconds))
    }
}

extension PublicationKey {
    init(_ body: PublicationKeyBody) {
        self.init(token: Data(token: body.token), publication: body.publication, key: body.key)
    }
}

extension SightingsAnswerBody {
    /// The same bytes as `jsonData`, without the encoder: most requests are reports.
    func json() throws -> ByteBuffer {
        var buffer = ByteBuffer()
        let lost = lost ?? []
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
            buffer.writeString(entry.status)
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

extension ChangeBody {
    init(_ change: Change) {
        self.init(
            subscription: change.subscription,
            message: Content(
                id: change.publication, namespace: change.message.namespace, type: change.message.type,
                content: change.message.content,
                keys: change.message.keys.isEmpty
                    ? nil : change.message.keys.map { KeyBody(token: $0.token.hex, key: $0.key) }))
    }
}

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
    /// The value of an ASCII character as a hexadecimal digit, in either case; nil for another character.
    var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
