public import Foundation

/// A value of a property list: text, bytes, a date, a number, a truth value, or an array or dictionary of such values.
///
/// As JSON, text, integers, truth values, arrays and dictionaries are themselves. The others are objects with one key:
/// `{"$data": "Base64"}`, `{"$date": seconds since 1970}` and `{"$real": 1.5}`. A dictionary with one of these keys, or with
/// `$dictionary`, is written as `{"$dictionary": {…}}`.
public enum PropertyList: Sendable, Hashable {
    case string(String)
    case data(Data)
    case date(Date)
    case integer(Int64)
    /// A finite number.
    case real(Double)
    case boolean(Bool)
    case array([PropertyList])
    case dictionary([String: PropertyList])

    /// The maximum nesting depth of dictionaries and arrays.
    public static let maximumDepth = 32

    /// A value that a property list cannot hold.
    public struct Invalid: Error, Hashable, CustomStringConvertible {
        /// Where the value is, such as `servers[2].port`; empty for the outermost value.
        public let keyPath: String
        /// A description of the value, such as `a value of type URL`.
        public let detail: String

        /// One sentence.
        public var description: String {
            "\(keyPath.isEmpty ? "The value" : "The value at \(keyPath)") is \(detail). A property list holds text, "
                + "numbers, truth values, dates, data, and arrays and dictionaries of them."
        }
    }
}

extension PropertyList: Codable {
    private enum Tag: String, CodingKey, CaseIterable {
        case data = "$data"
        case date = "$date"
        case real = "$real"
        case dictionary = "$dictionary"
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// A value from its JSON.
    /// - Throws: a `DecodingError` if the JSON is of another form, or is nested deeper than `maximumDepth`.
    public init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= 2 * Self.maximumDepth + 16 else {
            throw Self.corrupted(decoder, "nested too deeply")
        }
        if let values = try? decoder.container(keyedBy: Key.self) {
            self = try Self.object(values, decoder)
        } else if var values = try? decoder.unkeyedContainer() {
            var elements: [PropertyList] = []
            while !values.isAtEnd { elements.append(try values.decode(PropertyList.self)) }
            self = .array(elements)
        } else {
            let value = try decoder.singleValueContainer()
            if let truth = try? value.decode(Bool.self) {
                self = .boolean(truth)
            } else if let text = try? value.decode(String.self) {
                self = .string(text)
            } else if let number = try? value.decode(Int64.self) {
                self = .integer(number)
            } else {
                self = .real(try value.decode(Double.self))
            }
        }
        guard depth <= Self.maximumDepth else { throw Self.corrupted(decoder, "nested too deeply") }
    }

    private static func object(
        _ values: KeyedDecodingContainer<Key>, _ decoder: any Decoder
    ) throws -> PropertyList {
        if values.allKeys.count == 1, let key = values.allKeys.first, let tag = Tag(rawValue: key.stringValue) {
            switch tag {
            case .data: return .data(try values.decode(Data.self, forKey: key))
            case .date:
                return .date(Date(timeIntervalSince1970: try values.decode(Double.self, forKey: key)))
            case .real: return .real(try values.decode(Double.self, forKey: key))
            case .dictionary:
                let inner = try values.nestedContainer(keyedBy: Key.self, forKey: key)
                return .dictionary(try dictionary(inner))
            }
        }
        return .dictionary(try dictionary(values))
    }

    private static func dictionary(_ values: KeyedDecodingContainer<Key>) throws -> [String: PropertyList] {
        var entries: [String: PropertyList] = [:]
        for key in values.allKeys { entries[key.stringValue] = try values.decode(PropertyList.self, forKey: key) }
        return entries
    }

    private static func corrupted(_ decoder: any Decoder, _ text: String) -> DecodingError {
        DecodingError.dataCorrupted(DecodingError.Context(codingPath: decoder.codingPath, debugDescription: text))
    }

    /// Writes the value in its JSON form.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .string(let text): try Self.encode(text, encoder)
        case .integer(let number): try Self.encode(number, encoder)
        case .boolean(let truth): try Self.encode(truth, encoder)
        case .data(let data): try Self.encode(data, .data, encoder)
        case .date(let date): try Self.encode(date.timeIntervalSince1970, .date, encoder)
        case .real(let number): try Self.encode(number, .real, encoder)
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .dictionary(let entries):
            if entries.count == 1, let key = entries.keys.first, Tag(rawValue: key) != nil {
                var outer = encoder.container(keyedBy: Tag.self)
                var inner = outer.nestedContainer(keyedBy: Key.self, forKey: .dictionary)
                try Self.encode(entries, &inner)
            } else {
                var container = encoder.container(keyedBy: Key.self)
                try Self.encode(entries, &container)
            }
        }
    }

    private static func encode(_ value: some Encodable, _ encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    private static func encode(_ value: some Encodable, _ tag: Tag, _ encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Tag.self)
        try container.encode(value, forKey: tag)
    }

    private static func encode(
        _ entries: [String: PropertyList], _ container: inout KeyedEncodingContainer<Key>
    ) throws {
        for (key, value) in entries { try container.encode(value, forKey: Key(stringValue: key)) }
    }

    private var depth: Int {
        switch self {
        case .array(let elements): 1 + (elements.map(\.depth).max() ?? 0)
        case .dictionary(let entries): 1 + (entries.values.map(\.depth).max() ?? 0)
        default: 0
        }
    }
}

extension PropertyList {
    /// The value as JSON with sorted keys: equal values give equal bytes.
    package var json: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)) ?? Data()
    }

    /// - Returns: nil if the bytes are not of this form.
    package init?(json: Data) {
        guard let value = try? JSONDecoder().decode(PropertyList.self, from: json) else { return nil }
        self = value
    }
}
