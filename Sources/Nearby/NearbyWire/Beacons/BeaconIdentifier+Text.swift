/// The text form: three parts, with colons between them.
///
///     eddystone:00112233445566778899:aabbccddeeff            namespace, 20 digits; instance, 12 digits
///     ibeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893e:1:65535   UUID; major and minor, decimal
///     altbeacon:0x0118:000102030405060708090a0b0c0d0e0f10111213
///                                                            company identifier; 40 digits
///
/// Hexadecimal digits are read in either case and written in lower case. The hyphens of a UUID may be missing when it
/// is read.
extension BeaconIdentifier: CustomStringConvertible {
    /// The text form.
    public var text: String {
        switch self {
        case .eddystone(let namespace, let instance):
            "\(Kind.eddystone.rawValue):\(Self.hex(namespace)):\(Self.hex(instance))"
        case .iBeacon(let uuid, let major, let minor):
            "\(Kind.iBeacon.rawValue):\(Self.hyphenated(uuid)):\(major):\(minor)"
        case .altBeacon(let manufacturer, let identifier):
            "\(Kind.altBeacon.rawValue):0x\(Self.hex(Self.highByteFirst(manufacturer))):\(Self.hex(identifier))"
        }
    }

    /// The same as `text`.
    public var description: String { text }

    /// The beacon with this text form.
    /// - Throws: `BeaconTextError` that says which part is wrong.
    public init(text: String) throws(BeaconTextError) {
        let parts = Array(text.utf8).split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map(
            Array.init)
        let name = parts.first ?? []
        guard let kind = Kind.allCases.first(where: { Array($0.rawValue.utf8) == Self.lowercased(name) }) else {
            throw .unknownKind
        }
        guard parts.count == kind.partCount else { throw .partCount(kind) }
        switch kind {
        case .eddystone:
            guard let namespace = Self.bytes(parts[1], count: 10) else { throw .notDigits("namespace", count: 20) }
            guard let instance = Self.bytes(parts[2], count: 6) else { throw .notDigits("instance", count: 12) }
            self = .eddystone(namespace: namespace, instance: instance)
        case .iBeacon:
            guard let uuid = Self.uuid(parts[1]) else { throw .notUUID }
            guard let major = Self.number(parts[2]) else { throw .notNumber("major") }
            guard let minor = Self.number(parts[3]) else { throw .notNumber("minor") }
            self = .iBeacon(uuid: uuid, major: major, minor: minor)
        case .altBeacon:
            guard Self.lowercased(Array(parts[1].prefix(2))) == Array("0x".utf8),
                let company = Self.bytes(Array(parts[1].dropFirst(2)), count: 2)
            else { throw .notCompany }
            guard let identifier = Self.bytes(parts[2], count: 20) else { throw .notDigits("identifier", count: 40) }
            self = .altBeacon(manufacturer: UInt16(company[0]) << 8 | UInt16(company[1]), identifier: identifier)
        }
    }

    private static let hyphen = UInt8(ascii: "-")
    /// The bytes of a UUID that a hyphen follows.
    private static let bytesBeforeHyphens = [3, 5, 7, 9]

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".unicodeScalars)
        var text = String.UnicodeScalarView()
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(text)
    }

    private static func hyphenated(_ uuid: [UInt8]) -> String {
        var text = ""
        for (index, byte) in uuid.enumerated() { text += hex([byte]) + (bytesBeforeHyphens.contains(index) ? "-" : "") }
        return text
    }

    private static func uuid(_ text: [UInt8]) -> [UInt8]? {
        guard text.count == 36 else { return bytes(text, count: 16) }
        // Hyphens are allowed only at their places in the canonical form.
        let hyphens = text.indices.filter { text[$0] == hyphen }
        guard hyphens == [8, 13, 18, 23] else { return nil }
        return bytes(text.filter { $0 != hyphen }, count: 16)
    }

    /// Exactly `count` bytes from their hexadecimal digits; nil for any other text.
    private static func bytes(_ digits: [UInt8], count: Int) -> [UInt8]? {
        guard digits.count == 2 * count else { return nil }
        var bytes: [UInt8] = []
        for index in 0..<count {
            guard let high = nibble(digits[2 * index]), let low = nibble(digits[2 * index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// A decimal number of 0 to 65,535; nil for any other text.
    private static func number(_ digits: [UInt8]) -> UInt16? {
        guard (1...5).contains(digits.count) else { return nil }
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = 10 * number + Int(digit - UInt8(ascii: "0"))
        }
        return UInt16(exactly: number)
    }

    private static func lowercased(_ text: [UInt8]) -> [UInt8] {
        text.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }

    private static func highByteFirst(_ number: UInt16) -> [UInt8] {
        [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
    }
}

extension BeaconIdentifier.Kind {
    /// The number of parts of the text form, with the name.
    fileprivate var partCount: Int { self == .iBeacon ? 4 : 3 }

    /// The text form, with a name for each part.
    fileprivate var form: String {
        switch self {
        case .eddystone: "eddystone:NAMESPACE:INSTANCE, 20 and 12 hexadecimal digits"
        case .iBeacon: "ibeacon:UUID:MAJOR:MINOR"
        case .altBeacon: "altbeacon:COMPANY:IDENTIFIER, such as 0x0118 and 40 hexadecimal digits"
        }
    }
}

/// The reason why a text is not a beacon's identity. It does not quote the text.
public enum BeaconTextError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The first part is none of the three formats.
    case unknownKind
    /// The number of parts does not match the format.
    case partCount(BeaconIdentifier.Kind)
    /// The part does not have this many hexadecimal digits.
    case notDigits(String, count: Int)
    /// The second part is not a UUID.
    case notUUID
    /// The part is not a decimal number of 0 to 65,535.
    case notNumber(String)
    /// The second part is not a company identifier.
    case notCompany

    /// The problem and the remedy, in one sentence.
    public var description: String {
        switch self {
        case .unknownKind:
            "a beacon is eddystone:NAMESPACE:INSTANCE, ibeacon:UUID:MAJOR:MINOR or altbeacon:COMPANY:IDENTIFIER"
        case .partCount(let kind): "write it as \(kind.form)"
        case .notDigits(let part, let count): "the \(part) must be \(count) hexadecimal digits (0-9, a-f)"
        case .notUUID:
            "the UUID must be 32 hexadecimal digits, such as f7826da6-4fa2-4e98-8024-bc5b71e0893e"
        case .notNumber(let part): "the \(part) must be a decimal number of 0 to 65535"
        case .notCompany: "the company must be 0x and four hexadecimal digits, such as 0x0118"
        }
    }
}
