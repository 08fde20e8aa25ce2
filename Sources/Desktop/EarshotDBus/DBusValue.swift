/// A value of D-Bus, with its type.
///
/// Source: D-Bus Specification, "Type System". File descriptors are not supported.
package enum DBusValue: Sendable, Hashable {
    case boolean(Bool)
    case byte(UInt8)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    /// The path of an object, such as `/org/bluez/hci0`.
    case path(String)
    case signature(String)
    /// An array of bytes.
    case bytes([UInt8])
    /// An array of any other type; `of` is the signature of an element.
    case array(of: String, [DBusValue])
    /// A dictionary; `key` and `value` are the signatures of an entry's parts.
    case dictionary(key: String, value: String, [DBusValue: DBusValue])
    case structure([DBusValue])
    indirect case variant(DBusValue)

    /// A dictionary of names and variants, the form in which D-Bus passes properties and options.
    package static func properties(_ properties: [String: DBusValue]) -> DBusValue {
        var entries: [DBusValue: DBusValue] = [:]
        for (name, value) in properties { entries[.string(name)] = .variant(value) }
        return .dictionary(key: "s", value: "v", entries)
    }

    /// The type of the value in D-Bus's notation.
    package var signature: String {
        switch self {
        case .boolean: "b"
        case .byte: "y"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .path: "o"
        case .signature: "g"
        case .bytes: "ay"
        case .array(let element, _): "a\(element)"
        case .dictionary(let key, let value, _): "a{\(key)\(value)}"
        case .structure(let fields): "(\(fields.map(\.signature).joined()))"
        case .variant: "v"
        }
    }
}

extension DBusValue {
    /// The value inside a variant; for any other value, the value itself.
    package var unwrapped: DBusValue {
        if case .variant(let value) = self { value.unwrapped } else { self }
    }

    /// The truth value, or nil for another type; variants are unwrapped. The same applies to the properties below.
    package var boolean: Bool? {
        if case .boolean(let value) = unwrapped { value } else { nil }
    }

    /// The text of a string, a path or a signature.
    package var text: String? {
        switch unwrapped {
        case .string(let text), .path(let text), .signature(let text): text
        default: nil
        }
    }

    /// The number, if the value is an integer.
    package var integer: Int? {
        switch unwrapped {
        case .byte(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(value)
        case .int64(let value): Int(exactly: value)
        case .uint64(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The bytes of an array of bytes.
    package var bytes: [UInt8]? {
        if case .bytes(let value) = unwrapped { value } else { nil }
    }

    /// The elements of an array that is not one of bytes.
    package var elements: [DBusValue]? {
        if case .array(_, let elements) = unwrapped { elements } else { nil }
    }

    /// The entries of a dictionary.
    package var entries: [DBusValue: DBusValue]? {
        if case .dictionary(_, _, let entries) = unwrapped { entries } else { nil }
    }

    /// The entries of a dictionary with texts as keys, the values without variants.
    package var named: [String: DBusValue]? {
        guard let entries else { return nil }
        var named: [String: DBusValue] = [:]
        for (key, value) in entries {
            guard let name = key.text else { return nil }
            named[name] = value.unwrapped
        }
        return named
    }
}
