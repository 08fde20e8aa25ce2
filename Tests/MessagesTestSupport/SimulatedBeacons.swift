package import EarshotCoding
package import EarshotDiscovery
import Synchronization

/// Beacons in memory, and the radio of a device that hears them. It records how it was used.
package final class SimulatedBeacons: BeaconSource {
    private struct State {
        var present: Set<BeaconIdentifier> = []
        var scans: [BeaconScan] = []
        var streams: [Int: (scan: BeaconScan, continuation: AsyncStream<BeaconEvent>.Continuation)] = [:]
        var count = 0
    }

    private let state = Mutex(State())
    /// The time between two frames of a beacon.
    private static let period = Duration.milliseconds(20)
    /// The silence after which a beacon counts as gone; long enough for a machine that is busy with other tests.
    private let patience: Duration

    package init(patience: Duration = .seconds(5)) {
        self.patience = patience
    }

    /// All scans that were asked for, in order.
    package var scans: [BeaconScan] { state.withLock { $0.scans } }
    /// The scans that run.
    package var openScans: [BeaconScan] { state.withLock { $0.streams.values.map(\.scan) } }

    /// Brings a beacon into range, or takes it away.
    package func set(_ beacon: BeaconIdentifier, isPresent: Bool) {
        state.withLock { state in
            if isPresent { state.present.insert(beacon) } else { state.present.remove(beacon) }
        }
    }

    /// Reports an event to all scans.
    package func report(_ event: BeaconEvent) {
        for stream in state.withLock({ Array($0.streams.values) }) { stream.continuation.yield(event) }
    }

    package func events(_ scan: BeaconScan) -> AsyncStream<BeaconEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: BeaconEvent.self, bufferingPolicy: .bufferingNewest(256))
        let number = state.withLock { state in
            state.scans.append(scan)
            state.count += 1
            state.streams[state.count] = (scan, continuation)
            return state.count
        }
        let hearing = Task { [self] in
            continuation.yield(.opened)
            while !Task.isCancelled {
                for beacon in state.withLock(\.present) where scan.includesIBeacons || beacon.kind == .eddystone {
                    let sighting = BeaconSighting(beacon: beacon, rssiDecibelMilliwatts: -60, patience: patience)
                    continuation.yield(.sighting(sighting))
                }
                try? await Task.sleep(for: Self.period)
            }
        }
        continuation.onTermination = { [self] _ in
            hearing.cancel()
            _ = state.withLock { $0.streams.removeValue(forKey: number) }
        }
        return stream
    }
}
