/// The identity that a Bluetooth beacon broadcasts.
///
/// Sources: Eddystone protocol specification (UID frame); Apple, Proximity Beacon Specification; AltBeacon specification 1.0.
public enum BeaconIdentifier: Sendable, Hashable {
    /// Eddystone-UID: a namespace of 10 bytes and an instance of 6 bytes.
    case eddystone(namespace: [UInt8], instance: [UInt8])
    /// iBeacon: a UUID of 16 bytes, and two numbers.
    case iBeacon(uuid: [UInt8], major: UInt16, minor: UInt16)
    /// AltBeacon: 20 bytes, of the manufacturer with this company identifier.
    case altBeacon(manufacturer: UInt16, identifier: [UInt8])

    /// The formats of beacons. The raw value begins the text form.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Eddystone-UID.
        case eddystone
        /// iBeacon.
        case iBeacon = "ibeacon"
        /// AltBeacon.
        case altBeacon = "altbeacon"

        /// The number of bytes of an identity: 16, 20 and 22.
        public var byteCount: Int {
            switch self {
            case .eddystone: 16
            case .iBeacon: 20
            case .altBeacon: 22
            }
        }
    }

    /// The format of the beacon.
    public var kind: Kind {
        switch self {
        case .eddystone: .eddystone
        case .iBeacon: .iBeacon
        case .altBeacon: .altBeacon
        }
    }

    /// The identity in the order of the air: namespace, instance; UUID, major, minor; manufacturer, identifier. Numbers have
    /// their high byte first.
    public var bytes: [UInt8] {
        switch self {
        case .eddystone(let namespace, let instance): namespace + instance
        case .iBeacon(let uuid, let major, let minor): uuid + Self.bytes(major) + Self.bytes(minor)
        case .altBeacon(let manufacturer, let identifier): Self.bytes(manufacturer) + identifier
        }
    }

    /// The identity of these bytes; nil if their number is not `kind.byteCount`.
    public init?(_ kind: Kind, bytes: [UInt8]) {
        guard bytes.count == kind.byteCount else { return nil }
        func number(_ index: Int) -> UInt16 { UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]) }
        switch kind {
        case .eddystone: self = .eddystone(namespace: Array(bytes[..<10]), instance: Array(bytes[10...]))
        case .iBeacon: self = .iBeacon(uuid: Array(bytes[..<16]), major: number(16), minor: number(18))
        case .altBeacon: self = .altBeacon(manufacturer: number(0), identifier: Array(bytes[2...]))
        }
    }

    /// Whether each part has the length that its format requires.
    public var isComplete: Bool {
        switch self {
        case .eddystone(let namespace, let instance): namespace.count == 10 && instance.count == 6
        case .iBeacon(let uuid, _, _): uuid.count == 16
        case .altBeacon(_, let identifier): identifier.count == 20
        }
    }

    private static func bytes(_ number: UInt16) -> [UInt8] {
        [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
    }
}
