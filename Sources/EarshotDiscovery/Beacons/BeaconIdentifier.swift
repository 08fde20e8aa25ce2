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
}
