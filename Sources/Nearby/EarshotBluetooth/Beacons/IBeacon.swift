public import NearbyWire

/// iBeacon: an identity, as data of the manufacturer 0x004C.
///
///     0–1    type 0x02, and the number of bytes that follow, 0x15
///     2–17   UUID
///     18–19  major
///     20–21  minor
///     22     power at 1 m, dBm, signed
///
/// Source: Apple, Proximity Beacon Specification, release R1.
public struct IBeacon: Sendable, Hashable {
    /// The UUID, 16 bytes.
    public let uuid: [UInt8]
    /// The first number; often that of a building.
    public let major: UInt16
    /// The second number; often that of a room.
    public let minor: UInt16
    /// The power at 1 m in dBm; nil if the frame claims an impossible one.
    public let strengthAtOneMetreDecibelMilliwatts: Int?

    /// The company identifier of the manufacturer.
    static let manufacturer: UInt16 = 0x004C
    static let beginning: [UInt8] = [0x02, 0x15]

    /// A frame with this content; nil unless the UUID has 16 bytes.
    public init?(uuid: [UInt8], major: UInt16, minor: UInt16, strengthAtOneMetreDecibelMilliwatts: Int) {
        guard uuid.count == 16 else { return nil }
        self.uuid = uuid
        self.major = major
        self.minor = minor
        self.strengthAtOneMetreDecibelMilliwatts = strengthAtOneMetreDecibelMilliwatts
    }

    /// Parses data of the manufacturer 0x004C; nil for other content or another length.
    public init?(manufacturerData bytes: [UInt8]) {
        guard bytes.count == 23, bytes.starts(with: Self.beginning) else { return nil }
        uuid = Array(bytes[2..<18])
        major = UInt16(BigEndian.number(bytes[18..<20]))
        minor = UInt16(BigEndian.number(bytes[20..<22]))
        strengthAtOneMetreDecibelMilliwatts = CalibratedPower.atOneMetre(bytes[22])
    }

    /// The frame, 23 bytes of data of the manufacturer 0x004C.
    public var manufacturerData: [UInt8] {
        let power = strengthAtOneMetreDecibelMilliwatts ?? CalibratedPower.typicalAtOneMetreDecibelMilliwatts
        return Self.beginning + uuid + BigEndian.bytes(major) + BigEndian.bytes(minor)
            + [CalibratedPower.byte(atOneMetre: power)]
    }

    /// The identity of the beacon.
    public var identifier: BeaconIdentifier { .iBeacon(uuid: uuid, major: major, minor: minor) }
}
