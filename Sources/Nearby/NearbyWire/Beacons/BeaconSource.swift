/// Hears beacons: a radio, or a simulation of one.
public protocol BeaconSource<Problem>: Sendable {
    /// The problems of the radio.
    associatedtype Problem: Sendable & Equatable

    /// Scans until the stream is no longer read. Several streams may be read at once; they share the radio.
    func events(_ scan: BeaconScan) -> AsyncStream<BeaconEvent<Problem>>
}

/// The beacons to scan for, and the cost of the scan.
public struct BeaconScan: Sendable, Hashable {
    /// Whether to report iBeacons too. If not, their frames are not even parsed.
    public var includesIBeacons: Bool
    /// Whether the radio may pause between scans, which delays reports. It does not pause if iBeacons are included.
    public var prefersLowPower: Bool

    /// A scan for all beacons, in low power if possible.
    public init(includesIBeacons: Bool = true, prefersLowPower: Bool = true) {
        self.includesIBeacons = includesIBeacons
        self.prefersLowPower = prefersLowPower
    }

    /// Whether the radio may pause between scans: iBeacons need it all the time.
    public var usesLowPower: Bool { prefersLowPower && !includesIBeacons }

    /// Whether the scan can reveal where the device is, so that the user must consent to that too. A phone's system
    /// asks for iBeacons and for continuous scans, but not for Eddystone alone in low power.
    public var needsLocation: Bool { !usesLowPower }
}

/// The events of a scan for beacons.
public enum BeaconEvent<Problem: Sendable & Equatable>: Sendable, Equatable {
    /// A frame with a beacon's identity.
    case sighting(BeaconSighting)
    /// A problem begins. The detail is text for the user.
    case problem(Problem, detail: String = "")
    /// The problem is over.
    case solved(Problem)
    /// The radio works, after it was opened for the first time or again.
    case opened
}

/// One reception of a beacon.
public struct BeaconSighting: Sendable, Equatable {
    /// The identity of the beacon.
    public var beacon: BeaconIdentifier
    /// The received signal strength in dBm; nil if unknown.
    public var rssiDecibelMilliwatts: Int?
    /// The strength that the beacon claims to have at 1 m, in dBm; nil if it claims none.
    public var strengthAtOneMetreDecibelMilliwatts: Int?
    /// The time since it was on the air; 0 or more.
    public var age: Duration
    /// How long the beacon may be silent and still count as present.
    public var patience: Duration

    /// Sets the properties of the same names.
    public init(
        beacon: BeaconIdentifier, rssiDecibelMilliwatts: Int? = nil, strengthAtOneMetreDecibelMilliwatts: Int? = nil,
        age: Duration = .zero, patience: Duration
    ) {
        self.beacon = beacon
        self.rssiDecibelMilliwatts = rssiDecibelMilliwatts
        self.strengthAtOneMetreDecibelMilliwatts = strengthAtOneMetreDecibelMilliwatts
        self.age = age
        self.patience = patience
    }
}
