import Synchronization

/// Sends advertisements with one adapter: a run for each stream that is read.
final class Advertiser: Sendable {
    private struct State {
        /// The runs whose streams are no longer read, which have not ended yet.
        var ending: [Int: Task<Void, Never>] = [:]
        var nextNumber = 0
    }

    /// The maximum number of events that wait for a slow reader. The stream drops the oldest.
    private static let maximumBacklog = 256

    private let watch: AdapterWatch
    private let gate: ScanGate
    private let state = Mutex(State())

    init(_ watch: AdapterWatch, _ gate: ScanGate) {
        self.watch = watch
        self.gate = gate
    }

    /// See `BluetoothAdapter.advertise`.
    func events(_ contents: AsyncStream<[Advertisement]>) -> AsyncStream<AdvertisingEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: AdvertisingEvent.self, bufferingPolicy: .bufferingNewest(Self.maximumBacklog))
        let run = AdvertisingRun(watch, gate) { continuation.yield($0) }
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        let task = Task {
            await run.run(contents)
            continuation.finish()
            self.state.withLock { $0.ending[number] = nil }
        }
        continuation.onTermination = { [self] _ in
            if !task.isCancelled { state.withLock { $0.ending[number] = task } }
            task.cancel()
        }
        return stream
    }

    /// Waits until the advertisements of the streams that are no longer read are off the air.
    func waitUntilClosed() async {
        for run in state.withLock({ Array($0.ending.values) }) { await run.value }
    }
}
