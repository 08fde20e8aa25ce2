/// The UUID of a Bluetooth service. A short one of 16 bits means a long one with the Bluetooth base UUID.
///
/// Source: Bluetooth Core Specification, volume 3, part B, section 2.5.1.
public struct BluetoothUUID: Sendable, Hashable, CustomStringConvertible {
    /// The 16 bytes, most significant first.
    public let bytes: [UInt8]

    /// 00000000-0000-1000-8000-00805f9b34fb
    private static let base: [UInt8] = [
        0, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0x80, 0x5F, 0x9B, 0x34, 0xFB,
    ]

    /// The UUID of a service with a number that the Bluetooth SIG assigned.
    public init(short: UInt16) {
        var bytes = Self.base
        bytes[2] = UInt8(short >> 8)
        bytes[3] = UInt8(short & 0xFF)
        self.bytes = bytes
    }

    /// A UUID as text of 36 characters, such as `0000feaa-0000-1000-8000-00805f9b34fb`; nil for another text.
    public init?(_ text: some StringProtocol) {
        let characters = Array(text.utf8)
        guard characters.count == 36 else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for (index, character) in characters.enumerated() {
            if [8, 13, 18, 23].contains(index) {
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Character(UnicodeScalar(character)).hexDigitValue.map({ UInt8($0) }) else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        self.bytes = bytes
    }

    /// The number that the Bluetooth SIG assigned; nil for any other UUID.
    public var short: UInt16? {
        let number = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        return self == BluetoothUUID(short: number) ? number : nil
    }

    /// The text of 36 characters, in lower case.
    public var description: String {
        let digits = bytes.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }
        let groups = [digits[0..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10..<16]]
        return groups.map { $0.joined() }.joined(separator: "-")
    }
}
