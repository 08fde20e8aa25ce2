public import NearbyWire

/// A frame of a beacon, parsed.
public enum BeaconFrame: Sendable, Hashable {
    /// An identity of Eddystone.
    case eddystoneUID(EddystoneUID)
    /// A web address of Eddystone.
    case eddystoneURL(EddystoneURL)
    /// Telemetry of Eddystone.
    case eddystoneTLM(EddystoneTLM)
    /// A changing identity of Eddystone.
    case eddystoneEID(EddystoneEID)
    /// An identity of iBeacon.
    case iBeacon(IBeacon)
    /// An identity of AltBeacon.
    case altBeacon(AltBeacon)

    /// The service whose data Eddystone's frames are.
    public static let eddystoneService = BluetoothUUID(short: 0xFEAA)

    /// Parses service data of 0xFEAA; nil if it is no frame of Eddystone. The bytes may be arbitrary.
    public init?(eddystone bytes: [UInt8]) {
        let frame: BeaconFrame? =
            switch bytes.first {
            case EddystoneUID.type: EddystoneUID(serviceData: bytes).map { .eddystoneUID($0) }
            case EddystoneURL.type: EddystoneURL(serviceData: bytes).map { .eddystoneURL($0) }
            case EddystoneTLM.type: EddystoneTLM(serviceData: bytes).map { .eddystoneTLM($0) }
            case EddystoneEID.type: EddystoneEID(serviceData: bytes).map { .eddystoneEID($0) }
            default: nil
            }
        guard let frame else { return nil }
        self = frame
    }

    /// The frames in an advertisement, in no order; there may be several.
    /// - Parameters:
    ///   - advertisement: the received advertisement.
    ///   - includingIBeacons: whether to parse the data of manufacturers, such as iBeacon and AltBeacon. If not, they
    ///     are ignored.
    public static func frames(in advertisement: Advertisement, includingIBeacons: Bool) -> [BeaconFrame] {
        var frames: [BeaconFrame] = []
        if let frame = advertisement.serviceData[eddystoneService].flatMap(BeaconFrame.init(eddystone:)) {
            frames.append(frame)
        }
        guard includingIBeacons else { return frames }
        for (manufacturer, bytes) in advertisement.manufacturerData {
            if manufacturer == IBeacon.manufacturer, let frame = IBeacon(manufacturerData: bytes) {
                frames.append(.iBeacon(frame))
            } else if let frame = AltBeacon(manufacturer: manufacturer, data: bytes) {
                frames.append(.altBeacon(frame))
            }
        }
        return frames
    }

    /// The identity of the beacon, which a registry may know; nil for frames without one.
    public var identifier: BeaconIdentifier? {
        switch self {
        case .eddystoneUID(let frame): frame.identifier
        case .iBeacon(let frame): frame.identifier
        case .altBeacon(let frame): frame.identifier
        case .eddystoneURL, .eddystoneTLM, .eddystoneEID: nil
        }
    }

    /// The power at 1 m in dBm; nil if the frame claims none.
    public var strengthAtOneMetreDecibelMilliwatts: Int? {
        switch self {
        case .eddystoneUID(let frame): frame.strengthAtOneMetreDecibelMilliwatts
        case .eddystoneURL(let frame): frame.strengthAtOneMetreDecibelMilliwatts
        case .eddystoneEID(let frame): frame.strengthAtOneMetreDecibelMilliwatts
        case .iBeacon(let frame): frame.strengthAtOneMetreDecibelMilliwatts
        case .altBeacon(let frame): frame.strengthAtOneMetreDecibelMilliwatts
        case .eddystoneTLM: nil
        }
    }

    /// The advertisement that carries the frame; nil for encrypted telemetry. An advertisement has 31 bytes, enough for
    /// one frame.
    public var advertisement: Advertisement? {
        switch self {
        case .eddystoneUID(let frame): Self.eddystone(frame.serviceData)
        case .eddystoneURL(let frame): Self.eddystone(frame.serviceData)
        case .eddystoneTLM(let frame): frame.serviceData.map(Self.eddystone)
        case .eddystoneEID(let frame): Self.eddystone(frame.serviceData)
        case .iBeacon(let frame): Advertisement(manufacturerData: [IBeacon.manufacturer: frame.manufacturerData])
        case .altBeacon(let frame): Advertisement(manufacturerData: [frame.manufacturer: frame.manufacturerData])
        }
    }

    /// The specification requires the service in the list of services too: phones in the background check that list.
    private static func eddystone(_ bytes: [UInt8]) -> Advertisement {
        Advertisement(serviceData: [eddystoneService: bytes], serviceUUIDs: [eddystoneService])
    }
}

extension BeaconFrame {
    /// The frame that broadcasts an identity; nil if a part of the identity has the wrong length.
    /// - Parameters:
    ///   - identifier: the identity.
    ///   - strength: the power at 1 m, in dBm, that the frame claims.
    public init?(_ identifier: BeaconIdentifier, strengthAtOneMetreDecibelMilliwatts strength: Int) {
        let frame: BeaconFrame? =
            switch identifier {
            case .eddystone(let namespace, let instance):
                EddystoneUID(
                    namespace: namespace, instance: instance, strengthAtOneMetreDecibelMilliwatts: strength
                ).map { .eddystoneUID($0) }
            case .iBeacon(let uuid, let major, let minor):
                IBeacon(uuid: uuid, major: major, minor: minor, strengthAtOneMetreDecibelMilliwatts: strength).map {
                    .iBeacon($0)
                }
            case .altBeacon(let manufacturer, let identity):
                AltBeacon(
                    manufacturer: manufacturer, identity: identity, strengthAtOneMetreDecibelMilliwatts: strength
                ).map { .altBeacon($0) }
            }
        guard let frame else { return nil }
        self = frame
    }
}
