/// Eddystone-EID: an identity that changes, as service data of 0xFEAA. Only the service where the beacon is registered
/// can identify its owner. It is recognised here, but not resolved.
///
///     0    frame type 0x30
///     1    power at 0 m, dBm, signed
///     2–9  ephemeral identity
///
/// Source: Eddystone protocol specification, EID frame.
public struct EddystoneEID: Sendable, Hashable {
    /// The current identity, 8 bytes.
    public let ephemeralIdentifier: [UInt8]
    /// The power at 1 m in dBm; nil if the frame claims an impossible one.
    public let strengthAtOneMetreDecibelMilliwatts: Int?

    static let type: UInt8 = 0x30

    /// A frame with this content; nil unless the identity has 8 bytes.
    public init?(ephemeralIdentifier: [UInt8], strengthAtOneMetreDecibelMilliwatts: Int) {
        guard ephemeralIdentifier.count == 8 else { return nil }
        self.ephemeralIdentifier = ephemeralIdentifier
        self.strengthAtOneMetreDecibelMilliwatts = strengthAtOneMetreDecibelMilliwatts
    }

    /// Parses service data of 0xFEAA; nil for another frame or length.
    public init?(serviceData bytes: [UInt8]) {
        guard bytes.count == 10, bytes[0] == Self.type else { return nil }
        ephemeralIdentifier = Array(bytes[2...])
        strengthAtOneMetreDecibelMilliwatts = CalibratedPower.atOneMetre(eddystone: bytes[1])
    }

    /// The frame, 10 bytes of service data of 0xFEAA.
    public var serviceData: [UInt8] {
        let power = strengthAtOneMetreDecibelMilliwatts ?? CalibratedPower.typicalAtOneMetreDecibelMilliwatts
        return [Self.type, CalibratedPower.byte(eddystone: power)] + ephemeralIdentifier
    }
}
