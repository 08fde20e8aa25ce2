public import EarshotDiscovery

/// Receives advertisements: a Bluetooth adapter, or a simulation of one.
public protocol AdvertisementSource: Sendable {
    /// Scans until the stream is no longer read. Several streams may be read at once; they share the radio.
    /// - Parameters:
    ///   - patterns: the advertisements to report, those that match any of them.
    ///   - power: whether the radio may pause between scans.
    func events(_ patterns: [AdvertisementPattern], power: ScanPower) -> AsyncStream<ScanEvent>
}

/// A part that an advertisement must have.
public enum AdvertisementPattern: Sendable, Hashable {
    /// Data of this service.
    case serviceData(BluetoothUUID)
    /// Data of this manufacturer that begins with these bytes.
    case manufacturerData(UInt16, prefix: [UInt8])
}

/// How much of the time the radio listens.
public enum ScanPower: Sendable, Hashable {
    /// All the time.
    case continuous
    /// A part of the time, or passively by the controller.
    case low

    /// The share of time in which the adapter is asked to listen; 0 ... 1.
    public var share: Double { ScanRounds(self).share }
}

/// The events of a scan.
public enum ScanEvent: Sendable, Equatable {
    /// The adapter received an advertisement that matches.
    case advertisement(ReceivedAdvertisement)
    /// A problem begins. The detail is text for the user: what failed, on which adapter, and what to do.
    case problem(DiscoveryProblem, detail: String)
    /// The problem is over.
    case solved(DiscoveryProblem)
    /// The radio scans, for the first time or again.
    case opened
}
