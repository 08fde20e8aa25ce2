/// Numbers of several bytes, the most significant first, as all beacons send them.
enum BigEndian {
    /// The number of these bytes, at most four.
    static func number(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    static func bytes(_ number: UInt16) -> [UInt8] {
        [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
    }

    static func bytes(_ number: UInt32) -> [UInt8] {
        bytes(UInt16(number >> 16)) + bytes(UInt16(truncatingIfNeeded: number))
    }
}
