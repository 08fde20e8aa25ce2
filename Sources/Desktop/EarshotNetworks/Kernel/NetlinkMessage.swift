/// The messages in bytes from a netlink socket.
///
/// The bytes are untrusted: every length is checked, and an invalid one ends the sequence.
///
/// Source: netlink(7); RFC 3549, 2.2 and 2.3.
struct NetlinkMessages: Sequence, IteratorProtocol {
    /// A message.
    struct Message: Equatable {
        var type: UInt16
        var flags: UInt16
        var sequence: UInt32
        /// The bytes after the header.
        var payload: ArraySlice<UInt8>
    }

    static let headerByteCount = 16
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    mutating func next() -> Message? {
        guard rest.count >= Self.headerByteCount, let length = rest.netlinkInteger(at: 0, UInt32.self).map(Int.init),
            length >= Self.headerByteCount, length <= rest.count,
            let type = rest.netlinkInteger(at: 4, UInt16.self), let flags = rest.netlinkInteger(at: 6, UInt16.self),
            let sequence = rest.netlinkInteger(at: 8, UInt32.self)
        else {
            rest = []
            return nil
        }
        let message = Message(
            type: type, flags: flags, sequence: sequence,
            payload: rest.dropFirst(Self.headerByteCount).prefix(length - Self.headerByteCount))
        rest = rest.dropFirst(length.netlinkAligned)
        return message
    }
}

/// The attributes in a payload, by the same rules.
struct NetlinkAttributes: Sequence, IteratorProtocol {
    /// An attribute.
    struct Attribute: Equatable {
        /// The number of the attribute, without the bits that describe its content.
        var type: UInt16
        var payload: ArraySlice<UInt8>

        /// The content, if it is exactly an integer of that size.
        func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
            payload.count == MemoryLayout<Integer>.size ? payload.netlinkInteger(at: 0, type) : nil
        }

        /// The text up to a zero; nil if it is not UTF-8.
        var text: String? { String(validating: payload.prefix { $0 != 0 }, as: UTF8.self) }
    }

    static let headerByteCount = 4
    /// NLA_F_NESTED and NLA_F_NET_BYTEORDER are the bits above the number.
    private static let typeMask: UInt16 = 0x3FFF
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    mutating func next() -> Attribute? {
        guard let length = rest.netlinkInteger(at: 0, UInt16.self).map(Int.init),
            let type = rest.netlinkInteger(at: 2, UInt16.self), length >= Self.headerByteCount, length <= rest.count
        else {
            rest = []
            return nil
        }
        let attribute = Attribute(
            type: type & Self.typeMask,
            payload: rest.dropFirst(Self.headerByteCount).prefix(length - Self.headerByteCount))
        rest = rest.dropFirst(length.netlinkAligned)
        return attribute
    }
}

extension Int {
    /// In netlink everything begins at a multiple of four bytes.
    var netlinkAligned: Int { (self + 3) & ~3 }
}

extension ArraySlice<UInt8> {
    /// The integer that begins at an offset, in the machine's byte order; nil if there are too few bytes.
    func netlinkInteger<Integer: FixedWidthInteger>(at offset: Int, _: Integer.Type) -> Integer? {
        guard offset >= 0, offset <= count - MemoryLayout<Integer>.size else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Integer.self) }
    }
}

/// A request to the kernel.
struct NetlinkRequest {
    /// NLM_F_REQUEST; NLM_F_DUMP adds ROOT and MATCH.
    static let request: UInt16 = 0x1
    static let dump: UInt16 = 0x301

    /// The bytes of a request.
    /// - Parameter payload: the bytes after the header.
    static func bytes(type: UInt16, flags: UInt16, sequence: UInt32, payload: [UInt8]) -> [UInt8] {
        let length = NetlinkMessages.headerByteCount + payload.count
        return integer(UInt32(length)) + integer(type) + integer(flags) + integer(sequence) + integer(UInt32(0))
            + payload
    }

    /// The bytes of an attribute, with its padding.
    static func attribute(_ type: UInt16, _ payload: [UInt8]) -> [UInt8] {
        let length = NetlinkAttributes.headerByteCount + payload.count
        return integer(UInt16(length)) + integer(type) + payload
            + [UInt8](repeating: 0, count: length.netlinkAligned - length)
    }

    /// The bytes of an integer in the machine's byte order.
    static func integer(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value) { Array($0) }
    }
}
