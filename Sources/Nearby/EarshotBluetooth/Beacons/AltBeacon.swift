public import NearbyWire

/// AltBeacon: an identity, as data of any manufacturer.
///
///     0–1    code 0xBE 0xAC
///     2–21   identity
///     22     power at 1 m, dBm, signed
///     23     reserved for the manufacturer
///
/// Source: AltBeacon Protocol Specification 1.0.
public struct AltBeacon: Sendable, Hashable {
    /// The company identifier of the manufacturer.
    public let manufacturer: UInt16
    /// The identity, 20 bytes.
    public let identity: [UInt8]
    /// The power at 1 m in dBm; nil if the frame claims an impossible one.
    public let strengthAtOneMetreDecibelMilliwatts: Int?
    /// The byte that the manufacturer defines.
    public let reserved: UInt8

    /// Radius Networks, which wrote the specification. Most beacons of this kind use its company identifier.
    public static let commonManufacturer: UInt16 = 0x0118
    static let beginning: [UInt8] = [0xBE, 0xAC]

    /// A frame with this content; nil unless the identity has 20 bytes.
    public init?(
        manufacturer: UInt16 = commonManufacturer, identity: [UInt8], strengthAtOneMetreDecibelMilliwatts: Int,
        reserved: UInt8 = 0
    ) {
        guard identity.count == 20 else { return nil }
        self.manufacturer = manufacturer
        self.identity = identity
        self.strengthAtOneMetreDecibelMilliwatts = strengthAtOneMetreDecibelMilliwatts
        self.reserved = reserved
    }

    /// Parses data of a manufacturer; nil for other content or another length.
    public init?(manufacturer: UInt16, data bytes: [UInt8]) {
        guard bytes.count == 24, bytes.starts(with: Self.beginning) else { return nil }
        self.manufacturer = manufacturer
        identity = Array(bytes[2..<22])
        strengthAtOneMetreDecibelMilliwatts = CalibratedPower.atOneMetre(bytes[22])
        reserved = bytes[23]
    }

    /// The frame, 24 bytes of data of the manufacturer.
    public var manufacturerData: [UInt8] {
        let power = strengthAtOneMetreDecibelMilliwatts ?? CalibratedPower.typicalAtOneMetreDecibelMilliwatts
        return Self.beginning + identity + [CalibratedPower.byte(atOneMetre: power), reserved]
    }

    /// The identity of the beacon.
    public var identifier: BeaconIdentifier { .altBeacon(manufacturer: manufacturer, identifier: identity) }
}
