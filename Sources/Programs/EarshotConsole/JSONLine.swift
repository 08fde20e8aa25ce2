import EarshotBasics
import FoundationEssentials

/// One JSON object on one line; its keys stay in the order in which they are added.
///
/// JSONEncoder offers no key order but the alphabetical one, and users read these lines too. So JSONEncoder encodes
/// only the strings here.
package struct JSONLine {
    /// Each member on one line, and as `document` has it.
    private var members: [(line: String, lines: String)] = []
    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return encoder
    }()

    /// An empty object.
    package init() {}

    package mutating func add(_ key: String, _ value: String) {
        append("\(Self.quoted(key)):\(Self.quoted(value))")
    }

    package mutating func add(_ key: String, _ value: Int) {
        append("\(Self.quoted(key)):\(value)")
    }

    package mutating func add(_ key: String, _ values: [Int]) {
        append("\(Self.quoted(key)):[\(values.map(String.init).joined(separator: ","))]")
    }

    package mutating func add(_ key: String, _ value: Bool) {
        append("\(Self.quoted(key)):\(value)")
    }

    package mutating func add(_ key: String, _ values: [String]) {
        append("\(Self.quoted(key)):[\(values.map(Self.quoted).joined(separator: ","))]")
    }

    /// Adds a number with `decimals` decimals. JSON has no infinity, so a value that is not finite becomes null.
    package mutating func add(_ key: String, _ value: Double, decimals: Int) {
        append("\(Self.quoted(key)):\(DecimalText.fixed(value, decimals: decimals) ?? "null")")
    }

    /// Adds a number with as few decimals as it needs, at most 6.
    package mutating func add(short key: String, _ value: Double) {
        append("\(Self.quoted(key)):\(DecimalText.short(value, decimals: 6))")
    }

    package mutating func add(_ key: String, _ object: JSONLine) {
        append("\(Self.quoted(key)):\(object.text)")
    }

    /// An array with a line of the document for each object.
    package mutating func add(_ key: String, _ objects: [JSONLine]) {
        let (name, texts) = (Self.quoted(key), objects.map(\.text))
        let lines = texts.map { "\n    " + $0 }.joined(separator: ",") + (texts.isEmpty ? "" : "\n  ")
        members.append(("\(name):[\(texts.joined(separator: ","))]", "\(name):[\(lines)]"))
    }

    private mutating func append(_ member: String) { members.append((member, member)) }

    package var text: String { "{" + members.map(\.line).joined(separator: ",") + "}" }

    /// The same object with a line for each member, for files that people read.
    package var document: String { "{\n  " + members.map(\.lines).joined(separator: ",\n  ") + "\n}" }

    private static func quoted(_ text: String) -> String {
        guard let data = try? encoder.encode(text) else { preconditionFailure("a string is always JSON") }
        return String(decoding: data, as: UTF8.self)
    }
}
