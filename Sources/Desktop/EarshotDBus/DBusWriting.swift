import CSystemd

extension DBusValue {
    /// Appends the value to a message.
    func append(to message: OpaquePointer) throws(DBusError) {
        switch self {
        case .boolean(let value): try Self.append("b", Int32(value ? 1 : 0), to: message)
        case .byte(let value): try Self.append("y", value, to: message)
        case .int16(let value): try Self.append("n", value, to: message)
        case .uint16(let value): try Self.append("q", value, to: message)
        case .int32(let value): try Self.append("i", value, to: message)
        case .uint32(let value): try Self.append("u", value, to: message)
        case .int64(let value): try Self.append("x", value, to: message)
        case .uint64(let value): try Self.append("t", value, to: message)
        case .double(let value): try Self.append("d", value, to: message)
        case .string(let text): try Self.append("s", text, to: message)
        case .path(let text): try Self.append("o", text, to: message)
        case .signature(let text): try Self.append("g", text, to: message)
        case .bytes(let bytes):
            try check(sd_bus_message_append_array(message, DBusType.byte, bytes, bytes.count))
        case .array(let element, let elements):
            try Self.container("a", element, in: message) { () throws(DBusError) in
                for element in elements { try element.append(to: message) }
            }
        case .dictionary(let key, let value, let entries):
            try Self.container("a", "{\(key)\(value)}", in: message) { () throws(DBusError) in
                for entry in entries {
                    try Self.container("e", key + value, in: message) { () throws(DBusError) in
                        try entry.key.append(to: message)
                        try entry.value.append(to: message)
                    }
                }
            }
        case .structure(let fields):
            try Self.container("r", fields.map(\.signature).joined(), in: message) { () throws(DBusError) in
                for field in fields { try field.append(to: message) }
            }
        case .variant(let value):
            try Self.container("v", value.signature, in: message) { () throws(DBusError) in
                try value.append(to: message)
            }
        }
    }

    private static func append<Number: BitwiseCopyable>(
        _ type: Unicode.Scalar, _ number: Number, to message: OpaquePointer
    )
        throws(DBusError)
    {
        var number = number
        try check(sd_bus_message_append_basic(message, DBusType.code(type), &number))
    }

    private static func append(_ type: Unicode.Scalar, _ text: String, to message: OpaquePointer) throws(DBusError) {
        // C would end the text at a zero byte.
        guard !text.utf8.contains(0) else { throw DBusError.malformed("a text with a zero byte") }
        try check(text.withCString { sd_bus_message_append_basic(message, DBusType.code(type), $0) })
    }

    /// The D-Bus specification, *Valid Signatures*, allows 255 letters; of a variant sd-bus (systemd 252) reads 254.
    private static let maximumSignatureCount = 254

    private static func container(
        _ type: Unicode.Scalar, _ contents: String, in message: OpaquePointer, _ fill: () throws(DBusError) -> Void
    ) throws(DBusError) {
        // sd-bus writes a longer one, and the bus then ends the connection.
        guard contents.utf8.count <= maximumSignatureCount else {
            throw DBusError.malformed("a type of \(contents.utf8.count) letters, of at most \(maximumSignatureCount)")
        }
        try check(sd_bus_message_open_container(message, DBusType.code(type), contents))
        try fill()
        try check(sd_bus_message_close_container(message))
    }
}

/// The letters of types.
enum DBusType {
    static let byte = code("y")

    static func code(_ letter: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: letter.value) }
}

/// Throws the error for a negative result of sd-bus when it writes a value.
private func check(_ result: Int32) throws(DBusError) {
    if result < 0 { throw DBusError.malformed("a value cannot be written: \(systemText(-result))") }
}

/// The system's text for a number of `errno`.
func systemText(_ number: Int32) -> String { String(cString: strerror(number)) }
