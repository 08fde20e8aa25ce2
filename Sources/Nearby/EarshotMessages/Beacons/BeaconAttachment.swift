import EarshotCoding

/// A message that its project attached to a beacon.
package struct BeaconAttachment: Sendable, Hashable {
    /// The maximum size of the data, in bytes.
    package static let maximumDataCount = 1_024
    /// The maximum length of the type, in Unicode scalars.
    package static let maximumTypeCount = 100

    /// Unique within the service.
    package let id: String
    package let message: Message

    package init(id: String, message: Message) {
        self.id = id
        self.message = message
    }
}

/// The attachments that a subscription selects.
package struct AttachmentFilter: Sendable, Hashable {
    /// The namespace; empty for all attachments of the project's own beacons.
    package let namespace: String
    /// The type; empty for all types.
    package let type: String

    package init(namespace: String = "", type: String = "") {
        self.namespace = namespace
        self.type = type
    }

    /// Whether the filter selects a message, and the message is within the limits. The service is not trusted.
    func selects(_ message: Message) -> Bool {
        message.content.count <= BeaconAttachment.maximumDataCount
            && message.type.unicodeScalars.count <= BeaconAttachment.maximumTypeCount
            && message.namespace.unicodeScalars.count <= Message.maximumNamespaceCount
            && (namespace.isEmpty || message.namespace == namespace) && (type.isEmpty || message.type == type)
    }
}
