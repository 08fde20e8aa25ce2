package import EarshotDiscovery
package import NearbyWire
import Synchronization

/// Beacons in memory: a radio that hears the beacons of a test. As in `Air`, only a last
/// frame ends a beacon, not a silence.
package final class BeaconAir: BeaconSource {
    private struct State {
        var beacons: Set<BeaconIdentifier> = []
        var scans: [BeaconScan] = []
        var streams: [Int: (scan: BeaconScan, continuation: AsyncStream<BeaconEvent<DiscoveryProblem>>.Continuation)] =
            [:]
        var nextStream = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// All scans that were begun, in order.
    package var scans: [BeaconScan] { state.withLock { $0.scans } }
    /// The number of scans that are read.
    package var openCount: Int { state.withLock { $0.streams.count } }

    /// The scans that are read.
    package var openScans: [BeaconScan] { state.withLock { $0.streams.values.map(\.scan) } }

    /// A beacon begins to send.
    package func add(_ beacon: BeaconIdentifier) { state.withLock { _ = $0.beacons.insert(beacon) } }

    /// A beacon falls silent.
    package func remove(_ beacon: BeaconIdentifier) { state.withLock { _ = $0.beacons.remove(beacon) } }

    private func heard(_ scan: BeaconScan) -> Set<BeaconIdentifier> {
        state.withLock { $0.beacons.filter { scan.includesIBeacons || $0.kind == .eddystone } }
    }

    /// Sends an event to all scans.
    package func report(_ event: BeaconEvent<DiscoveryProblem>) {
        for stream in state.withLock({ Array($0.streams.values) }) { stream.continuation.yield(event) }
    }

    package func events(_ scan: BeaconScan) -> AsyncStream<BeaconEvent<DiscoveryProblem>> {
        let (stream, continuation) = AsyncStream.makeStream(of: BeaconEvent<DiscoveryProblem>.self)
        let number = state.withLock { state in
            state.scans.append(scan)
            state.nextStream += 1
            state.streams[state.nextStream] = (scan, continuation)
            return state.nextStream
        }
        continuation.yield(.opened)
        let listening = Task { [self] in
            var near: Set<BeaconIdentifier> = []
            while !Task.isCancelled {
                let before = near
                near = heard(scan)
                for beacon in before.union(near) {
                    let patience = near.contains(beacon) ? Air.patience : Air.patienceAtEnd
                    continuation.yield(.sighting(BeaconSighting(beacon: beacon, patience: patience)))
                }
                try? await Task.sleep(for: Air.period)
            }
        }
        continuation.onTermination = { [self] _ in
            listening.cancel()
            state.withLock { _ = $0.streams.removeValue(forKey: number) }
        }
        return stream
    }
}

extension BeaconIdentifier {
    /// An Eddystone beacon of a number.
    package static func numbered(_ number: Int) -> BeaconIdentifier {
        .eddystone(
            namespace: [UInt8](repeating: 7, count: 10),
            instance: (0..<6).map { UInt8(truncatingIfNeeded: number >> (8 * (5 - $0))) })
    }
}
