import CSystemd

/// Reads the values of a message, within bounds, because the sender is not trusted.
struct DBusReader {
    /// The approximate maximum number of bytes for the values of one message, with an overhead for each value.
    static let maximumByteCount = 8 << 20
    /// The maximum nesting depth of values.
    static let maximumDepth = 16
    /// The overhead of a value in bytes.
    private static let valueByteCount = 64

    private let message: OpaquePointer
    private var leftByteCount = Self.maximumByteCount

    /// A reader of a message that lives longer than the reader.
    init(_ message: OpaquePointer) {
        self.message = message
    }

    /// The values from here to the end of the message.
    mutating func values() throws(DBusError) -> [DBusValue] {
        try values(depth: 0)
    }

    private mutating func values(depth: Int) throws(DBusError) -> [DBusValue] {
        var values: [DBusValue] = []
        while let value = try next(depth: depth) { values.append(value) }
        return values
    }

    /// The next value; nil at the end of the container.
    private mutating func next(depth: Int) throws(DBusError) -> DBusValue? {
        var type = CChar(0)
        var contents: UnsafePointer<CChar>?
        guard try check(sd_bus_message_peek_type(message, &type, &contents)) > 0 else { return nil }
        guard depth < Self.maximumDepth else { throw DBusError.malformed("values lie too deep in a message") }
        try take(Self.valueByteCount)
        let inner = contents.map { String(cString: $0) } ?? ""
        switch Unicode.Scalar(UInt8(truncatingIfNeeded: type)) {
        case "b": return .boolean(try read(type, Int32(0)) != 0)
        case "y": return .byte(try read(type, 0))
        case "n": return .int16(try read(type, 0))
        case "q": return .uint16(try read(type, 0))
        case "i": return .int32(try read(type, 0))
        case "u": return .uint32(try read(type, 0))
        case "x": return .int64(try read(type, 0))
        case "t": return .uint64(try read(type, 0))
        case "d": return .double(try read(type, 0))
        case "s": return .string(try text(type))
        case "o": return .path(try text(type))
        case "g": return .signature(try text(type))
        case "a" where inner == "y": return .bytes(try bytes())
        case "a" where inner.first == "{": return try dictionary(inner, depth: depth)
        case "a": return .array(of: inner, try container(type, inner, depth: depth))
        case "r": return .structure(try container(type, inner, depth: depth))
        case "v":
            guard let value = try container(type, inner, depth: depth).first else {
                throw DBusError.malformed("an empty variant")
            }
            return .variant(value)
        case let letter: throw DBusError.malformed("a value of the unsupported type '\(letter)'")
        }
    }

    private mutating func container(_ type: CChar, _ contents: String, depth: Int) throws(DBusError) -> [DBusValue] {
        try check(sd_bus_message_enter_container(message, type, contents))
        let values = try values(depth: depth + 1)
        try check(sd_bus_message_exit_container(message))
        return values
    }

    private mutating func dictionary(_ contents: String, depth: Int) throws(DBusError) -> DBusValue {
        // The contents are {kv}; the key is a basic type, so one letter.
        let entry = String(contents.dropFirst().dropLast())
        var entries: [DBusValue: DBusValue] = [:]
        try check(sd_bus_message_enter_container(message, DBusType.code("a"), contents))
        while try check(sd_bus_message_enter_container(message, DBusType.code("e"), entry)) > 0 {
            let pair = try values(depth: depth + 1)
            guard pair.count == 2 else { throw DBusError.malformed("an entry without a value") }
            entries[pair[0]] = pair[1]
            try check(sd_bus_message_exit_container(message))
        }
        try check(sd_bus_message_exit_container(message))
        return .dictionary(key: String(entry.prefix(1)), value: String(entry.dropFirst()), entries)
    }

    private func read<Number: BitwiseCopyable>(_ type: CChar, _ zero: Number) throws(DBusError) -> Number {
        var number = zero
        try check(sd_bus_message_read_basic(message, type, &number))
        return number
    }

    private mutating func text(_ type: CChar) throws(DBusError) -> String {
        var pointer: UnsafePointer<CChar>?
        try check(sd_bus_message_read_basic(message, type, &pointer))
        guard let pointer else { return "" }
        try take(strlen(pointer))
        return String(cString: pointer)
    }

    private mutating func bytes() throws(DBusError) -> [UInt8] {
        var pointer: UnsafeRawPointer?
        var count = 0
        try check(sd_bus_message_read_array(message, DBusType.byte, &pointer, &count))
        try take(count)
        return Array(UnsafeRawBufferPointer(start: pointer, count: count))
    }

    private mutating func take(_ count: Int) throws(DBusError) {
        leftByteCount -= count
        if leftByteCount < 0 { throw DBusError.malformed("a message with too many values") }
    }

    @discardableResult
    private func check(_ result: Int32) throws(DBusError) -> Int32 {
        if result < 0 { throw DBusError.malformed("a message cannot be read: \(systemText(-result))") }
        return result
    }
}
