public import EarshotDiscovery
public import NearbyWire

/// Hears Bluetooth beacons with an adapter.
///
///     let beacons = BluetoothBeacons(adapter)
///     for await event in beacons.events(BeaconScan()) { … }
///
/// It asks the adapter for data of the service 0xFEAA (Eddystone) and, with iBeacons, for data of the manufacturers
/// 0x004C that begins with 02 15 (iBeacon) and 0x0118 that begins with BE AC (AltBeacon). Without iBeacons the scan is
/// for Eddystone alone. AltBeacons of other manufacturers are reported only if the adapter delivers their
/// advertisements for another reason.
///
/// It stores nothing, so a crowd of beacons cannot fill the memory.
public final class BluetoothBeacons: BeaconSource {
    /// How long a beacon may be silent and still count as present, if the radio listens all the time. Beacons send at
    /// least once a second; nine lost frames of ten count as an absence.
    public static let patience = Duration.seconds(10)
    /// The same for a radio that pauses between scans, and may miss a beacon that sends rarely.
    public static let lowPowerPatience = Duration.seconds(20)

    private let source: any AdvertisementSource

    /// Beacons that this adapter, or a simulation of one, hears.
    public init(_ source: any AdvertisementSource) {
        self.source = source
    }

    /// The advertisements to ask the adapter for.
    static func patterns(_ scan: BeaconScan) -> [AdvertisementPattern] {
        let eddystone = AdvertisementPattern.serviceData(BeaconFrame.eddystoneService)
        guard scan.includesIBeacons else { return [eddystone] }
        return [
            eddystone, .manufacturerData(IBeacon.manufacturer, prefix: IBeacon.beginning),
            .manufacturerData(AltBeacon.commonManufacturer, prefix: AltBeacon.beginning),
        ]
    }

    /// Scans until the stream is no longer read, and reports the frames that have an identity.
    public func events(_ scan: BeaconScan) -> AsyncStream<BeaconEvent<DiscoveryProblem>> {
        Self.stream(from: frames(scan)) { event in
            switch event {
            case .frame(let frame):
                guard let sighting = frame.sighting else { return [] }
                return [.sighting(sighting)]
            case .problem(let problem, let detail): return [.problem(problem, detail: detail)]
            case .solved(let problem): return [.solved(problem)]
            case .opened: return [.opened]
            }
        }
    }

    /// Scans until the stream is no longer read, and reports all frames, also those without an identity.
    public func frames(_ scan: BeaconScan) -> AsyncStream<BeaconFrameEvent> {
        let isLow = scan.usesLowPower
        let events = source.events(Self.patterns(scan), power: isLow ? .low : .continuous)
        return Self.stream(from: events) { event in
            switch event {
            case .advertisement(let received):
                BeaconFrame.frames(in: received.content, includingIBeacons: scan.includesIBeacons).map { frame in
                    .frame(
                        ReceivedBeaconFrame(
                            frame: frame, address: received.address,
                            rssiDecibelMilliwatts: received.rssiDecibelMilliwatts,
                            patience: max(received.patience, isLow ? Self.lowPowerPatience : Self.patience)))
                }
            case .problem(let problem, let detail): [.problem(problem, detail: detail)]
            case .solved(let problem): [.solved(problem)]
            case .opened: [.opened]
            }
        }
    }

    /// A stream of the transformed elements. If a reader is more than 4,096 elements late, the oldest are dropped:
    /// newer ones matter more.
    private static func stream<Input: Sendable, Output: Sendable>(
        from inputs: AsyncStream<Input>, _ transform: @escaping @Sendable (Input) -> [Output]
    ) -> AsyncStream<Output> {
        let (stream, continuation) = AsyncStream.makeStream(of: Output.self, bufferingPolicy: .bufferingNewest(4_096))
        let task = Task {
            for await input in inputs {
                for output in transform(input) { continuation.yield(output) }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}

/// The events of a scan for all frames of beacons.
public enum BeaconFrameEvent: Sendable, Equatable {
    /// The adapter received a frame.
    case frame(ReceivedBeaconFrame)
    /// A problem begins. The detail is text for the user.
    case problem(DiscoveryProblem, detail: String)
    /// The problem is over.
    case solved(DiscoveryProblem)
    /// The radio scans, for the first time or again.
    case opened
}

/// A frame that an adapter received.
public struct ReceivedBeaconFrame: Sendable, Hashable {
    /// The frame.
    public var frame: BeaconFrame
    /// The sender's Bluetooth address. It may be random and change.
    public var address: String
    /// The received signal strength in dBm; nil if unknown.
    public var rssiDecibelMilliwatts: Int?
    /// How long the beacon may be silent and still count as present.
    public var patience: Duration

    /// A reception of these values; see the properties of the same names.
    public init(frame: BeaconFrame, address: String, rssiDecibelMilliwatts: Int? = nil, patience: Duration) {
        self.frame = frame
        self.address = address
        self.rssiDecibelMilliwatts = rssiDecibelMilliwatts
        self.patience = patience
    }

    /// The sighting; nil for a frame without an identity.
    public var sighting: BeaconSighting? {
        frame.identifier.map {
            BeaconSighting(
                beacon: $0, rssiDecibelMilliwatts: rssiDecibelMilliwatts,
                strengthAtOneMetreDecibelMilliwatts: frame.strengthAtOneMetreDecibelMilliwatts, patience: patience)
        }
    }
}
