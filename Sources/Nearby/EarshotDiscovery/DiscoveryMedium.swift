public import EarshotCoding

/// A way in which devices find each other: sound or Bluetooth.
///
/// A medium decides itself when to broadcast its token. It opens only the devices that a mode needs: a device that only
/// scans must not open a loudspeaker, and one that only broadcasts must not open a microphone.
public protocol DiscoveryMedium: Sendable {
    /// The name and the abilities of the medium.
    var kind: DiscoveryMediumKind { get }

    /// Opens the devices that `mode` needs and reports events until the stream is no longer read; then it closes
    /// everything. `Discovery` reads one stream at a time.
    func events(mode: DiscoveryMode) -> AsyncStream<MediumEvent>

    /// Sets the token to broadcast from now on. No effect if the mode has no `broadcast`.
    func broadcast(_ token: Payload) async

    /// Waits until everything is closed, after the events are no longer read. It may give up after a few seconds if a device
    /// does not close.
    func waitUntilClosed() async
}

extension DiscoveryMedium {
    /// Returns immediately: for a medium that has nothing to close.
    public func waitUntilClosed() async {}
}

/// The name of a medium, and whether it works in the background.
public struct DiscoveryMediumKind: Sendable, Hashable, CustomStringConvertible {
    /// The name as the user types it and as it is printed.
    public let name: String
    /// Whether the medium may work while the program is in the background.
    public let worksInBackground: Bool

    /// A medium of another kind.
    public init(name: String, worksInBackground: Bool) {
        self.name = name
        self.worksInBackground = worksInBackground
    }

    /// Near-ultrasound. It needs the microphone, which a program in the background must not use.
    public static let audio = DiscoveryMediumKind(name: "audio", worksInBackground: false)
    /// Bluetooth Low Energy.
    public static let bluetooth = DiscoveryMediumKind(name: "ble", worksInBackground: true)

    /// The same as `name`.
    public var description: String { name }
}

/// The events of a medium.
public enum MediumEvent: Sendable, Equatable {
    /// The medium heard a token.
    case sighting(Sighting)
    /// A problem begins. The detail is text for the user: what failed, on which device, and what to do.
    case problem(DiscoveryProblem, detail: String = "")
    /// The problem is over.
    case solved(DiscoveryProblem)
    /// The devices of these directions are open and work, after they were opened for the first time or again.
    case opened(DiscoveryMode)
}

/// One reception of a token.
public struct Sighting: Sendable, Equatable {
    /// The token that was heard.
    public var token: Payload
    /// Signal power over noise power, in decibels; nil if the medium does not know it.
    public var snrDecibels: Double?
    /// The level in decibels, 0 is full scale; nil if the medium does not know it. For sound: the level of the band
    /// during the token.
    public var levelDecibels: Double?
    /// The received signal strength in dBm, by Bluetooth; nil if the medium does not know it.
    public var rssiDecibelMilliwatts: Int?
    /// The time since its last bit was on the air; 0 or more.
    public var age: Duration
    /// How long after its last bit the sender may be silent and still count as present. It depends on how often the
    /// sender talks.
    public var patience: Duration

    /// Sets the properties of the same names.
    public init(
        token: Payload, snrDecibels: Double? = nil, levelDecibels: Double? = nil, rssiDecibelMilliwatts: Int? = nil,
        age: Duration = .zero, patience: Duration
    ) {
        self.token = token
        self.snrDecibels = snrDecibels
        self.levelDecibels = levelDecibels
        self.rssiDecibelMilliwatts = rssiDecibelMilliwatts
        self.age = age
        self.patience = patience
    }
}

/// The problems of a medium. A problem is a state: it begins and it ends.
public enum DiscoveryProblem: Sendable, Hashable {
    /// There is no microphone.
    case noMicrophone
    /// There is no loudspeaker.
    case noLoudspeaker
    /// The system denies access to the microphone (`scan`) or the loudspeaker (`broadcast`).
    case noPermission(DiscoveryMode)
    /// Another program uses the microphone (`scan`) or the loudspeaker (`broadcast`).
    case deviceBusy(DiscoveryMode)
    /// The microphone (`scan`) or the loudspeaker (`broadcast`) is there but does not work as needed.
    case deviceUnusable(DiscoveryMode)
    /// Interference fills the band all the time.
    case bandOccupied
    /// The system's Bluetooth service, bluetoothd, does not run.
    case noBluetoothService
    /// There is no Bluetooth adapter, or not the requested one.
    case noBluetoothAdapter
    /// The Bluetooth adapter is switched off.
    case bluetoothOff
    /// The system denies the program access to Bluetooth.
    case bluetoothForbidden
    /// The adapter is there, but cannot scan (`scan`) or advertise (`broadcast`) now.
    case bluetoothUnusable(DiscoveryMode)
}

extension DiscoveryProblem {
    /// Whether the problem is over when the devices of these directions work. A device that is not used cannot show that.
    func isOver(opened mode: DiscoveryMode) -> Bool {
        switch self {
        case .noMicrophone: mode.contains(.scan)
        case .noLoudspeaker: mode.contains(.broadcast)
        case .noPermission(let direction), .deviceBusy(let direction), .deviceUnusable(let direction),
            .bluetoothUnusable(let direction):
            direction.isSubset(of: mode)
        case .bandOccupied: false
        // Either direction shows that the adapter works.
        case .noBluetoothService, .noBluetoothAdapter, .bluetoothOff, .bluetoothForbidden: true
        }
    }
}
