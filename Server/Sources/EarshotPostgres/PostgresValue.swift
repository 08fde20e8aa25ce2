#if Postgres
    package import FoundationEssentials

    /// A parameter of a statement.
    package enum PostgresValue: Sendable {
        case null
        case integer(Int64)
        case number(Double)
        case boolean(Bool)
        case text(String)
        case bytes(Data)
        /// Arrays, for statements about many rows; nil becomes a null.
        case integers([Int64?])
        case booleans([Bool])
        case texts([String?])
        case manyBytes([Data?])

        package static func optional(_ text: String?) -> Self { text.map(PostgresValue.text) ?? .null }
        package static func optional(_ bytes: Data?) -> Self { bytes.map(PostgresValue.bytes) ?? .null }
        package static func optional(_ integer: Int64?) -> Self { integer.map(PostgresValue.integer) ?? .null }

        /// The bytes for PostgreSQL, and whether they are in binary form.
        var encoded: (bytes: [UInt8]?, isBinary: Bool) {
            switch self {
            case .null: (nil, false)
            case .integer(let value): (Array("\(value)".utf8), false)
            case .number(let value): (Array("\(value)".utf8), false)
            case .boolean(let value): (Array((value ? "t" : "f").utf8), false)
            case .text(let value): (Array(value.utf8), false)
            case .bytes(let value): (Array(value), true)
            case .integers(let values): (Self.array(values.map { $0.map { Array("\($0)".utf8) } }), false)
            case .booleans(let values): (Self.array(values.map { [UInt8(ascii: $0 ? "t" : "f")] }), false)
            case .texts(let values): (Self.array(values.map { $0.map { Self.quoted(Array($0.utf8)) } }), false)
            case .manyBytes(let values): (Self.array(values.map { $0.map(Self.hexadecimal) }), false)
            }
        }

        private static func array(_ values: [[UInt8]?]) -> [UInt8] {
            let null = Array("NULL".utf8)
            let elements = values.map { $0 ?? null }.joined(separator: [UInt8(ascii: ",")])
            return [UInt8(ascii: "{")] + elements + [UInt8(ascii: "}")]
        }

        private static func quoted(_ text: [UInt8]) -> [UInt8] {
            let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
            return [quote] + text.flatMap { $0 == quote || $0 == backslash ? [backslash, $0] : [$0] } + [quote]
        }

        /// A `bytea` within an array: `"\\x…"`.
        private static func hexadecimal(_ bytes: Data) -> [UInt8] {
            let digits = Array("0123456789abcdef".utf8)
            var text = Array("\"\\\\x".utf8)
            text.reserveCapacity(2 * bytes.count + 5)
            for byte in bytes {
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 15)])
            }
            text.append(UInt8(ascii: "\""))
            return text
        }
    }

    /// A row of a result. Columns count from 0.
    ///
    /// A column without the requested type is an error in this program, and stops it.
    package struct PostgresRow: Sendable {
        let columns: [[UInt8]?]

        package func isNull(_ column: Int) -> Bool { columns[column] == nil }

        package func text(_ column: Int) -> String { String(decoding: columns[column] ?? [], as: UTF8.self) }

        package func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }

        package func integer(_ column: Int) -> Int64 {
            guard let value = Int64(text(column)) else { preconditionFailure("column \(column) is no integer") }
            return value
        }

        package func optionalInteger(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }

        package func boolean(_ column: Int) -> Bool { columns[column] == [UInt8(ascii: "t")] }

        /// The bytes of a `bytea`, which PostgreSQL sends as `\x` and hexadecimal digits.
        package func bytes(_ column: Int) -> Data {
            guard let digits = columns[column], digits.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "x")]) else {
                preconditionFailure("column \(column) is no bytea")
            }
            var bytes = Data(count: digits.count / 2 - 1)
            for index in bytes.indices {
                bytes[index] = Self.nibble(digits[2 * index + 2]) << 4 | Self.nibble(digits[2 * index + 3])
            }
            return bytes
        }

        package func optionalBytes(_ column: Int) -> Data? { isNull(column) ? nil : bytes(column) }

        /// The elements of an array of numbers, or of texts without special characters. Null is an empty array.
        package func words(_ column: Int) -> [String] {
            guard !isNull(column) else { return [] }
            return text(column).dropFirst().dropLast().split(separator: ",").map(String.init)
        }

        package func integers(_ column: Int) -> [Int64] { words(column).compactMap { Int64($0) } }

        private static func nibble(_ digit: UInt8) -> UInt8 {
            digit <= UInt8(ascii: "9") ? digit - UInt8(ascii: "0") : digit - UInt8(ascii: "a") + 10
        }
    }
#endif
