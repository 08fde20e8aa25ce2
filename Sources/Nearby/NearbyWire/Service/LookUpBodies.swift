public import Foundation

/// In JSON a beacon is its text form.
extension BeaconIdentifier: Codable {
    /// The beacon of a text.
    /// - Throws: `BeaconTextError` if the text is not a beacon's, a `DecodingError` if the JSON is not a text.
    public init(from decoder: any Decoder) throws {
        try self.init(text: try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// The body of `POST /v1/lookups`.
public struct LookUpBody: Codable, Sendable, Hashable {
    /// The beacons to ask about.
    public let beacons: [BeaconIdentifier]
    /// The namespace of the messages; nil for the empty one.
    public let namespace: String?
    /// The type of the messages; nil or empty for all types.
    public let type: String?

    /// Sets the properties of the same names.
    public init(beacons: [BeaconIdentifier], namespace: String, type: String) {
        self.beacons = beacons
        self.namespace = namespace
        self.type = type
    }
}

/// The answer of `POST /v1/lookups`.
public struct LookUpAnswerBody: Codable, Sendable, Hashable {
    /// A message that is attached to a beacon.
    public struct Entry: Codable, Sendable, Hashable {
        /// The text form of the beacon. A client need not read other forms, because it did not ask about such beacons.
        public let beacon: String
        /// The attachment's name at the service.
        public let id: String
        /// The namespace of the message.
        public let namespace: String
        /// The type of the message.
        public let type: String
        /// The message.
        public let data: Data

        /// A message attached to this beacon; the other parameters set the properties of the same names.
        public init(beacon: BeaconIdentifier, id: String, namespace: String, type: String, data: Data) {
            self.beacon = beacon.text
            self.id = id
            self.namespace = namespace
            self.type = type
            self.data = data
        }
    }

    /// The messages of those beacons that have any.
    public let attachments: [Entry]

    /// Sets the property of the same name.
    public init(attachments: [Entry]) { self.attachments = attachments }
}
