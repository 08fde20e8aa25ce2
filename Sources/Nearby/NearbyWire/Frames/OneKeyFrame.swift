/// A frame: one of several parts, as a JSON object with exactly one key, the part's name. docs/AGENT.md describes them all.
///
/// An enum conforms to this protocol. Its cases have the names of the parts, and the part's content as their only
/// value; a case without a value is an empty object.
package protocol OneKeyFrame: Codable, Sendable, Hashable {
    /// The reader of each part, by the part's name.
    static var parts: [String: FramePart<Self>] { get }
}

/// The reader of one part of a frame.
package struct FramePart<Frame: OneKeyFrame>: Sendable {
    fileprivate let read: @Sendable (KeyedDecodingContainer<PartName>, PartName) throws -> Frame

    /// A part with content.
    package init<Content: Decodable & SendableMetatype>(_ frame: @escaping @Sendable (Content) -> Frame) {
        read = { frame(try $0.decode(Content.self, forKey: $1)) }
    }

    /// A part without content.
    package init(_ frame: Frame) {
        read = {
            _ = try $0.nestedContainer(keyedBy: PartName.self, forKey: $1)
            return frame
        }
    }
}

private struct PartName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension OneKeyFrame {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: PartName.self)
        guard let name = container.allKeys.first, container.allKeys.count == 1, let part = Self.parts[name.stringValue]
        else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not exactly one known part"))
        }
        self = try part.read(container, name)
    }

    package func encode(to encoder: any Encoder) throws {
        let part = Mirror(reflecting: self).children.first
        let name = PartName(stringValue: part?.label ?? "\(self)")
        guard Self.parts[name.stringValue] != nil else {
            throw EncodingError.invalidValue(
                self, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "a part without a reader")
            )
        }
        var container = encoder.container(keyedBy: PartName.self)
        if let content = part?.value as? any Encodable {
            try container.encode(content, forKey: name)
        } else {
            _ = container.nestedContainer(keyedBy: PartName.self, forKey: name)
        }
    }
}
