/// The bytes that one frame carries, 1 to 32 of them. The 8-byte payload is the *token*.
///
/// A value without heap storage, so that the real-time code creates and compares payloads without allocating.
public struct Payload: Hashable, Sendable {
    /// The numbers of bytes that a payload may have.
    public static let validCounts = 1...32
    /// The number of bytes in a token, the payload whose frame needs no length header.
    public static let tokenCount = 8

    // Byte i is the (i mod 8)-th most significant byte of word i / 8; unused bytes are zero.
    private var words = Words()

    /// The number of bytes, in `validCounts`.
    public let count: Int

    /// A payload of `count` zero bytes. `count` must be in `validCounts`.
    init(zeroBytes count: Int) {
        precondition(Payload.validCounts.contains(count), "payload of \(count) bytes, valid are 1 to 32")
        self.count = count
    }

    /// A payload of the given bytes.
    /// - Throws: `PayloadError.byteCount` unless there are 1 to 32 of them.
    public init(_ bytes: some Collection<UInt8>) throws(PayloadError) {
        guard Payload.validCounts.contains(bytes.count) else {
            throw .byteCount(bytes.count)
        }
        count = bytes.count
        for (index, byte) in bytes.enumerated() {
            self[index] = byte
        }
    }

    /// A payload written as hexadecimal digits, two a byte, upper or lower case; blanks, `:` and `-` are ignored
    /// anywhere, and a `0x` at the very start.
    /// - Throws: `PayloadError` that names the offending character, the odd digit count, or the byte count.
    public init(hex: some StringProtocol) throws(PayloadError) {
        var bytes: [UInt8] = []
        var pendingDigit: UInt8?
        var digits = Substring(hex)
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
            digits = digits.dropFirst(2)
        }
        var digitCount = 0
        for character in digits where character != " " && character != ":" && character != "-" {
            guard character.isASCII, let digit = character.hexDigitValue else {
                throw .notHexadecimal(character)
            }
            digitCount += 1
            if let high = pendingDigit {
                if bytes.count <= Payload.validCounts.upperBound {
                    bytes.append(high << 4 | UInt8(digit))
                }
                pendingDigit = nil
            } else {
                pendingDigit = UInt8(digit)
            }
        }
        guard pendingDigit == nil else {
            throw .oddDigitCount(digitCount)
        }
        guard Payload.validCounts.contains(digitCount / 2) else {
            throw .byteCount(digitCount / 2)
        }
        try self.init(bytes)
    }

    /// The byte at `index`, `0 ..< count`, in transmission order.
    public subscript(index: Int) -> UInt8 {
        get {
            UInt8(truncatingIfNeeded: words[index >> 3] >> UInt64(56 - 8 * (index & 7)))
        }
        set {
            precondition(index >= 0 && index < count, "byte \(index) of a payload of \(count)")
            let shift = UInt64(56 - 8 * (index & 7))
            words[index >> 3] = words[index >> 3] & ~(0xFF << shift) | UInt64(newValue) << shift
        }
    }

    /// The bytes in transmission order.
    public var bytes: [UInt8] {
        (0..<count).map { self[$0] }
    }

    /// The bytes as lower-case hexadecimal digits, two a byte.
    public var hex: String {
        let digits = Array("0123456789abcdef".unicodeScalars)
        var text = String.UnicodeScalarView()
        for index in 0..<count {
            text.append(digits[Int(self[index] >> 4)])
            text.append(digits[Int(self[index] & 15)])
        }
        return String(text)
    }
}

extension Payload: CustomStringConvertible {
    /// The same as `hex`.
    public var description: String { hex }
}

/// The reason why bytes or digits are not a payload.
public enum PayloadError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The number of bytes, which is not in 1 ... 32.
    case byteCount(Int)
    /// The number of hexadecimal digits, which is odd: half a byte is missing.
    case oddDigitCount(Int)
    /// A character that is not a hexadecimal digit.
    case notHexadecimal(Character)

    /// The problem and the remedy, in one sentence.
    public var description: String {
        switch self {
        case .byteCount(0):
            "the payload is empty; a frame carries 1 to 32 bytes"
        case .byteCount(let count):
            "the payload has \(count) bytes; a frame carries 1 to 32 (send a short token and look the rest up)"
        case .oddDigitCount(let count):
            "\(count) hexadecimal digits are not whole bytes; write two digits a byte (0a, not a)"
        case .notHexadecimal(let character):
            "'\(character)' is not a hexadecimal digit (0-9, a-f)"
        }
    }
}

/// Four words, all zero at first.
///
/// Not a `SIMD4<UInt64>`, which LLVM aligns to 32 bytes and Swift to 16. If an async function keeps such a value over
/// an `await`, the optimizer of Swift 6.3.1 can make the function's frame 16 bytes too small. The function then
/// overwrites memory after its frame.
private struct Words: Hashable, Sendable {
    private var first = SIMD2<UInt64>()
    private var second = SIMD2<UInt64>()

    subscript(index: Int) -> UInt64 {
        get { index < 2 ? first[index] : second[index - 2] }
        set { if index < 2 { first[index] = newValue } else { second[index - 2] = newValue } }
    }
}
