/// Eddystone-URL: a web address, as service data of 0xFEAA.
///
///     0      frame type 0x10
///     1      power at 0 m, dBm, signed
///     2      beginning: 0 http://www. · 1 https://www. · 2 http:// · 3 https://
///     3–19   the rest, 1 to 17 bytes: visible ASCII, or 0 to 13 for ".com/" to ".gov"
///
/// Source: Eddystone protocol specification, URL frame.
public struct EddystoneURL: Sendable, Hashable {
    /// The address, visible ASCII only.
    public let url: String
    /// The power at 1 m in dBm; nil if the frame claims an impossible one.
    public let strengthAtOneMetreDecibelMilliwatts: Int?
    /// The bytes from the beginning on. A sender may write out a text for which there is a byte, so the address does
    /// not determine them.
    private let encoded: [UInt8]

    static let type: UInt8 = 0x10
    private static let beginnings = ["http://www.", "https://www.", "http://", "https://"]
    private static let maximumRestCount = 17
    /// The texts of the bytes 0 to 13. Those with a slash come first, so that the first match is the longest one.
    private static let endings: [String] = {
        let domains = [".com", ".org", ".edu", ".net", ".info", ".biz", ".gov"]
        return domains.map { $0 + "/" } + domains
    }()
    private static let visible: ClosedRange<UInt8> = 0x21...0x7E

    /// A frame with this address; nil if it begins with neither `http://` nor `https://`, contains characters other
    /// than visible ASCII, or does not fit into 17 bytes after its beginning.
    public init?(url: String, strengthAtOneMetreDecibelMilliwatts: Int) {
        guard let encoded = Self.encoded(url) else { return nil }
        self.encoded = encoded
        self.url = url
        self.strengthAtOneMetreDecibelMilliwatts = strengthAtOneMetreDecibelMilliwatts
    }

    /// Parses service data of 0xFEAA; nil for another frame, length or character.
    public init?(serviceData bytes: [UInt8]) {
        guard (4...3 + Self.maximumRestCount).contains(bytes.count), bytes[0] == Self.type,
            bytes[2] < Self.beginnings.count
        else { return nil }
        var text = Self.beginnings[Int(bytes[2])]
        for byte in bytes[3...] {
            if byte < Self.endings.count {
                text += Self.endings[Int(byte)]
            } else if Self.visible.contains(byte) {
                text.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                return nil
            }
        }
        url = text
        encoded = Array(bytes[2...])
        strengthAtOneMetreDecibelMilliwatts = CalibratedPower.atOneMetre(eddystone: bytes[1])
    }

    /// The frame, 4 to 20 bytes of service data of 0xFEAA.
    public var serviceData: [UInt8] {
        let power = strengthAtOneMetreDecibelMilliwatts ?? CalibratedPower.typicalAtOneMetreDecibelMilliwatts
        return [Self.type, CalibratedPower.byte(eddystone: power)] + encoded
    }

    /// The bytes from the beginning on; nil if the address cannot be sent.
    private static func encoded(_ url: String) -> [UInt8]? {
        guard let beginning = beginnings.firstIndex(where: { url.hasPrefix($0) }) else { return nil }
        var rest = Array(url.utf8.dropFirst(beginnings[beginning].utf8.count))[...]
        var bytes: [UInt8] = []
        while let first = rest.first {
            if let ending = endings.firstIndex(where: { rest.starts(with: $0.utf8) }) {
                bytes.append(UInt8(ending))
                rest = rest.dropFirst(endings[ending].utf8.count)
            } else if visible.contains(first) {
                bytes.append(first)
                rest = rest.dropFirst()
            } else {
                return nil
            }
        }
        return (1...maximumRestCount).contains(bytes.count) ? [UInt8(beginning)] + bytes : nil
    }
}
