public import NearbyWire

/// The beacons in the air: frames in, events out. It has no clock and no task; the caller passes the time.
///
/// Telemetry has no identity, so it belongs to the beacons of the same address. A beacon is lost when it is silent for
/// longer than the patience of its last frame.
public struct BeaconBook: Sendable {
    /// The maximum number of beacons. More are ignored, so that an attacker cannot fill the memory.
    public static let maximumCount = 1_024

    private struct Record: Sendable {
        var beacon: BeaconInAir
        var until: Duration
        var lastReport: Duration
    }

    private struct TelemetryRecord: Sendable {
        var telemetry: EddystoneTLM
        var until: Duration
    }

    private var records: [BeaconName: Record] = [:]
    private var telemetry: [String: TelemetryRecord] = [:]
    private let updateInterval: Duration

    /// A book without beacons.
    /// - Parameter updateInterval: the minimum time between two events of one beacon; beacons send up to 50 frames a second.
    public init(updateInterval: Duration = .seconds(1)) {
        self.updateInterval = updateInterval
    }

    /// The beacons that are present, in no order.
    public var beacons: [BeaconInAir] { records.values.map(\.beacon) }

    /// Takes a frame.
    /// - Parameters:
    ///   - received: the frame.
    ///   - now: the time since the scan began.
    /// - Returns: `found` or `updated`; nil if there is no event.
    public mutating func take(_ received: ReceivedBeaconFrame, now: Duration) -> BeaconBookEvent? {
        let until = now + received.patience
        if case .eddystoneTLM(let frame) = received.frame {
            if telemetry[received.address] != nil || telemetry.count < Self.maximumCount {
                telemetry[received.address] = TelemetryRecord(telemetry: frame, until: until)
            }
            for (name, record) in records where record.beacon.address == received.address {
                records[name]?.beacon.telemetry = frame
            }
            return nil
        }
        guard let name = BeaconName(received.frame) else { return nil }
        let known = records[name]
        guard known != nil || records.count < Self.maximumCount else { return nil }
        var record =
            known
            ?? Record(
                beacon: BeaconInAir(name: name, address: received.address, lastHeard: now), until: until,
                lastReport: now)
        record.until = until
        record.beacon.hear(received, now: now)
        if let telemetry = telemetry[received.address]?.telemetry { record.beacon.telemetry = telemetry }
        defer { records[name] = record }
        guard known != nil else { return .found(record.beacon) }
        guard now - record.lastReport >= updateInterval else { return nil }
        record.lastReport = now
        return .updated(record.beacon)
    }

    /// Removes the beacons that have been silent for too long.
    /// - Returns: `lost` for each, the longest silent first.
    public mutating func expire(now: Duration) -> [BeaconBookEvent] {
        telemetry = telemetry.filter { $0.value.until >= now }
        let gone = records.filter { $0.value.until < now }
        for name in gone.keys { records[name] = nil }
        return gone.values.map(\.beacon).sorted { $0.lastHeard < $1.lastHeard }.map { .lost($0) }
    }
}

/// An event of a beacon.
public enum BeaconBookEvent: Sendable, Equatable {
    /// A new beacon is in the air.
    case found(BeaconInAir)
    /// A beacon was heard again.
    case updated(BeaconInAir)
    /// A beacon is gone. If it is heard again, that is a new `found`.
    case lost(BeaconInAir)
}

/// The name that a beacon sends.
public enum BeaconName: Sendable, Hashable, CustomStringConvertible {
    /// An identity that a registry may know.
    case identifier(BeaconIdentifier)
    /// The address of Eddystone-URL.
    case url(String)
    /// The changing identity of Eddystone-EID.
    case ephemeral([UInt8])

    /// The name in a frame; nil for telemetry.
    init?(_ frame: BeaconFrame) {
        switch frame {
        case .eddystoneURL(let frame): self = .url(frame.url)
        case .eddystoneEID(let frame): self = .ephemeral(frame.ephemeralIdentifier)
        case .eddystoneTLM: return nil
        case .eddystoneUID, .iBeacon, .altBeacon:
            guard let identifier = frame.identifier else { return nil }
            self = .identifier(identifier)
        }
    }

    /// The format: `eddystone`, `ibeacon`, `altbeacon`, `eddystone-url` or `eddystone-eid`.
    public var format: String {
        switch self {
        case .identifier(let identifier): identifier.kind.rawValue
        case .url: "eddystone-url"
        case .ephemeral: "eddystone-eid"
        }
    }

    /// The text form of an identity; the address; the digits of a changing identity.
    public var description: String {
        switch self {
        case .identifier(let identifier): identifier.text
        case .url(let url): url
        case .ephemeral(let bytes):
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
    }
}

/// A beacon that is present.
public struct BeaconInAir: Sendable, Equatable {
    /// The name that it sends.
    public let name: BeaconName
    /// The Bluetooth address that it was last heard from.
    public private(set) var address: String
    /// The strength of the last frame in dBm; nil if unknown.
    public private(set) var rssiDecibelMilliwatts: Int?
    /// The mean strength of about the last eight frames in dBm; nil if unknown.
    public private(set) var meanRSSIDecibelMilliwatts: Double?
    /// The power at 1 m, in dBm, that it claims; nil if it claims none.
    public private(set) var strengthAtOneMetreDecibelMilliwatts: Int?
    /// Its telemetry, if it sends any.
    public internal(set) var telemetry: EddystoneTLM?
    /// The time since the scan began when it was last heard.
    public private(set) var lastHeard: Duration
    /// The number of frames heard, without telemetry.
    public private(set) var heardFrameCount = 0

    /// The share of a new frame in the mean: 2 / (8 + 1).
    private static let newShare = 2.0 / 9

    init(name: BeaconName, address: String, lastHeard: Duration) {
        self.name = name
        self.address = address
        self.lastHeard = lastHeard
    }

    /// The distance by the mean strength; nil if the strength or its claim is unknown.
    public var distance: BeaconDistance? {
        guard let mean = meanRSSIDecibelMilliwatts, let strength = strengthAtOneMetreDecibelMilliwatts else {
            return nil
        }
        return BeaconDistance(rssiDecibelMilliwatts: mean, strengthAtOneMetreDecibelMilliwatts: strength)
    }

    mutating func hear(_ received: ReceivedBeaconFrame, now: Duration) {
        address = received.address
        lastHeard = now
        heardFrameCount += 1
        strengthAtOneMetreDecibelMilliwatts = received.frame.strengthAtOneMetreDecibelMilliwatts
        rssiDecibelMilliwatts = received.rssiDecibelMilliwatts
        guard let rssi = received.rssiDecibelMilliwatts.map(Double.init) else { return }
        meanRSSIDecibelMilliwatts = meanRSSIDecibelMilliwatts.map { $0 + Self.newShare * (rssi - $0) } ?? rssi
    }
}
