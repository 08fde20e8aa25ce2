import FoundationEssentials
import NearbyWire

extension LookUpAnswerBody {
    init(_ results: [LookUpResult]) {
        self.init(
            attachments: results.flatMap { result in
                result.attachments.map {
                    Entry(
                        beacon: result.beacon, id: $0.identifier, namespace: $0.namespace, type: $0.type, data: $0.data)
                }
            })
    }
}

/// The body of `POST /v1/beacons`.
struct BeaconOrderBody: Codable {
    let beacon: BeaconIdentifier
    let note: String?
}

/// A beacon, for its owner.
struct BeaconBody: Codable {
    let beacon: BeaconIdentifier
    let note: String
    let attachments: [AttachmentBody]

    init(_ beacon: Beacon) {
        self.beacon = beacon.identifier
        note = beacon.note
        attachments = beacon.attachments.map(AttachmentBody.init)
    }
}

/// The answer of `GET /v1/beacons`.
struct BeaconListBody: Codable {
    let beacons: [BeaconBody]
    /// The `after` of the next page; nil on the last one.
    let next: BeaconIdentifier?

    init(_ page: BeaconPage) {
        beacons = page.beacons.map(BeaconBody.init)
        next = page.hasMore ? page.beacons.last?.identifier : nil
    }
}

/// The body of `POST /v1/beacons/{id}/attachments`.
struct AttachmentOrderBody: Codable {
    let namespace: String?
    let type: String?
    let data: Data
}

/// An attachment, for its owner.
struct AttachmentBody: Codable {
    let id: String
    let namespace: String
    let type: String
    let data: Data

    init(_ attachment: Attachment) {
        id = attachment.identifier
        namespace = attachment.namespace
        type = attachment.type
        data = attachment.data
    }
}

/// Whether other projects may see the attachments of a namespace.
enum Visibility: String, Codable {
    case unlisted = "UNLISTED"
    case isPublic = "PUBLIC"

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let visibility = Visibility(rawValue: text) else {
            throw DecodingError.typeMismatch(
                Visibility.self, DecodingError.Context(codingPath: decoder.codingPath, debugDescription: ""))
        }
        self = visibility
    }
}

/// The body of `POST /v1/namespaces`.
struct NamespaceOrderBody: Codable {
    let namespace: String
    let visibility: Visibility?
}

/// The body of `PUT /v1/namespaces/{id}`.
struct VisibilityBody: Codable { let visibility: Visibility }

/// A namespace, for its owner.
struct NamespaceBody: Codable {
    let namespace: String
    let visibility: Visibility

    init(_ namespace: Namespace) {
        self.namespace = namespace.name
        visibility = namespace.isPublic ? .isPublic : .unlisted
    }
}

/// The answer of `GET /v1/namespaces`.
struct NamespaceListBody: Codable { let namespaces: [NamespaceBody] }
