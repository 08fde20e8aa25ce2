import Foundation

extension PropertyList {
    /// A value of Swift or Foundation as a property list.
    /// - Parameters:
    ///   - value: text, a number, a Boolean, a date, data, or an array or dictionary of them.
    ///   - keyPath: where the value is, for the error.
    /// - Throws: `Invalid`, with the key path of the first wrong value.
    public init(_ value: Any, keyPath: String = "") throws(Invalid) {
        try self.init(value, keyPath: keyPath, depth: 0)
    }

    private init(_ value: Any, keyPath: String, depth: Int) throws(Invalid) {
        guard depth <= Self.maximumDepth else {
            throw Invalid(keyPath: keyPath, detail: "deeper than \(Self.maximumDepth) levels")
        }
        // Foundation's numbers can be cast to every number type of Swift, so their own type decides.
        if let number = value as? NSNumber, type(of: value) is AnyClass {
            self = try Self.number(number, keyPath)
            return
        }
        switch value {
        case let value as PropertyList: self = value
        case let text as String: self = .string(text)
        case let truth as Bool: self = .boolean(truth)
        case let data as Data: self = .data(data)
        case let date as Date: self = .date(date)
        case let number as any BinaryInteger:
            guard let exact = Int64(exactly: number) else {
                throw Invalid(keyPath: keyPath, detail: "the number \(number), which does not fit into 64 bits")
            }
            self = .integer(exact)
        case let number as Double: self = try Self.real(number, keyPath)
        case let number as Float: self = try Self.real(Double(number), keyPath)
        case let entries as [AnyHashable: Any]:
            var converted: [String: PropertyList] = [:]
            // Sorted, so that the same wrong value is reported each time.
            for (key, value) in entries.sorted(by: { "\($0.key)" < "\($1.key)" }) {
                guard let name = key.base as? String else {
                    throw Invalid(
                        keyPath: keyPath, detail: "a dictionary with the key \(key), which is not text")
                }
                converted[name] = try PropertyList(
                    value, keyPath: keyPath.isEmpty ? name : "\(keyPath).\(name)", depth: depth + 1)
            }
            self = .dictionary(converted)
        case let elements as [Any]:
            var converted: [PropertyList] = []
            for (index, element) in elements.enumerated() {
                converted.append(try PropertyList(element, keyPath: "\(keyPath)[\(index)]", depth: depth + 1))
            }
            self = .array(converted)
        default: throw Invalid(keyPath: keyPath, detail: "a value of type \(type(of: value))")
        }
    }

    private static func number(_ number: NSNumber, _ keyPath: String) throws(Invalid) -> PropertyList {
        switch UInt8(bitPattern: number.objCType.pointee) {
        // A truth value and a number of one byte have the same type here.
        case UInt8(ascii: "c") where [0, 1].contains(number.intValue), UInt8(ascii: "B"): .boolean(number.boolValue)
        case UInt8(ascii: "d"), UInt8(ascii: "f"): try real(number.doubleValue, keyPath)
        case UInt8(ascii: "Q") where number.uint64Value > UInt64(Int64.max):
            throw Invalid(keyPath: keyPath, detail: "the number \(number), which does not fit into 64 bits")
        default: .integer(number.int64Value)
        }
    }

    private static func real(_ number: Double, _ keyPath: String) throws(Invalid) -> PropertyList {
        guard number.isFinite else { throw Invalid(keyPath: keyPath, detail: "the number \(number)") }
        return .real(number)
    }

    /// The value as `String`, `Data`, `Date`, `Int`, `Double`, `Bool`, `[Any]` or `[String: Any]`.
    public var value: Any {
        switch self {
        case .string(let text): text
        case .data(let data): data
        case .date(let date): date
        case .integer(let number): Int(truncatingIfNeeded: number)
        case .real(let number): number
        case .boolean(let truth): truth
        case .array(let elements): elements.map(\.value)
        case .dictionary(let entries): entries.mapValues(\.value)
        }
    }
}

extension [String: PropertyList] {
    /// A dictionary of Swift or Foundation.
    /// - Parameters:
    ///   - values: of the types of `PropertyList.value`, by their names.
    ///   - keyPath: its name, for the error.
    /// - Throws: `PropertyList.Invalid`, with the key path of the first wrong value.
    public init(_ values: [AnyHashable: Any], keyPath: String) throws(PropertyList.Invalid) {
        guard case .dictionary(let entries) = try PropertyList(values, keyPath: keyPath) else {
            preconditionFailure("a dictionary is one")
        }
        self = entries
    }

    /// See `PropertyList.value`.
    public var values: [String: Any] { mapValues(\.value) }
}
