/// K, the key of one publication.
package struct ContentKey: Sendable, Hashable {
    let bytes: [UInt8]

    /// - Returns: nil unless there are 32 bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Cryptography.keyCount else { return nil }
        self.bytes = bytes
    }

    /// Opens a message.
    /// - Returns: nil if it was sealed with another key, was changed, or is no message.
    package func open(_ sealed: some Collection<UInt8>) -> PlainMessage? {
        Cryptography.open(Array(sealed), key: bytes, associated: PlainMessage.associated).flatMap(PlainMessage.init)
    }
}

/// A message before it is sealed: a namespace, a type and a content.
package struct PlainMessage: Sendable, Hashable {
    static let associated = Array("earshot message 1".utf8)

    package let namespace: String
    package let type: String
    package let content: [UInt8]

    /// A message of these values. The texts have at most 65,535 bytes.
    package init(namespace: String, type: String, content: [UInt8]) {
        (self.namespace, self.type, self.content) = (namespace, type, content)
    }

    /// m = |N| ‖ N ‖ |Y| ‖ Y ‖ C
    var bytes: [UInt8] { Self.field(namespace) + Self.field(type) + content }

    /// - Returns: nil if a length exceeds the data, or a text is not UTF-8.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        func text() -> String? {
            guard rest.count >= 2, let high = rest.popFirst(), let low = rest.popFirst() else { return nil }
            let count = Int(high) << 8 | Int(low)
            guard count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return String(validating: rest.prefix(count), as: UTF8.self)
        }
        guard let namespace = text(), let type = text() else { return nil }
        self.init(namespace: namespace, type: type, content: Array(rest))
    }

    private static func field(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard let count = UInt16(exactly: bytes.count) else { preconditionFailure("a text of \(bytes.count) bytes") }
        return [UInt8(count >> 8), UInt8(count & 255)] + bytes
    }
}
