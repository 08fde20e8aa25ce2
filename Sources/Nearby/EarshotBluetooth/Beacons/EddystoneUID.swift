public import NearbyWire

/// Eddystone-UID: the identity of a beacon, as service data of 0xFEAA.
///
///     0      frame type 0x00
///     1      power at 0 m, dBm, signed
///     2–11   namespace
///     12–17  instance
///     18–19  reserved, zeros; older beacons leave them out
///
/// Source: Eddystone protocol specification, UID frame.
public struct EddystoneUID: Sendable, Hashable {
    /// The namespace, 10 bytes.
    public let namespace: [UInt8]
    /// The instance, 6 bytes.
    public let instance: [UInt8]
    /// The power at 1 m in dBm; nil if the frame claims an impossible one.
    public let strengthAtOneMetreDecibelMilliwatts: Int?

    static let type: UInt8 = 0x00

    /// A frame with this content; nil unless the namespace has 10 bytes and the instance 6.
    public init?(namespace: [UInt8], instance: [UInt8], strengthAtOneMetreDecibelMilliwatts: Int) {
        guard namespace.count == 10, instance.count == 6 else { return nil }
        self.namespace = namespace
        self.instance = instance
        self.strengthAtOneMetreDecibelMilliwatts = strengthAtOneMetreDecibelMilliwatts
    }

    /// Parses service data of 0xFEAA; nil for another frame or length.
    public init?(serviceData bytes: [UInt8]) {
        guard bytes.count == 18 || bytes.count == 20, bytes[0] == Self.type else { return nil }
        namespace = Array(bytes[2..<12])
        instance = Array(bytes[12..<18])
        strengthAtOneMetreDecibelMilliwatts = CalibratedPower.atOneMetre(eddystone: bytes[1])
    }

    /// The frame, 20 bytes of service data of 0xFEAA.
    public var serviceData: [UInt8] {
        let power = strengthAtOneMetreDecibelMilliwatts ?? CalibratedPower.typicalAtOneMetreDecibelMilliwatts
        return [Self.type, CalibratedPower.byte(eddystone: power)] + namespace + instance + [0, 0]
    }

    /// The identity of the beacon.
    public var identifier: BeaconIdentifier { .eddystone(namespace: namespace, instance: instance) }
}
