import Synchronization

/// Sends advertisements with one adapter: a run for each stream that is read.
final class Advertiser: Sendable {
    private struct State {
        var runs: [Int: Task<Void, Never>] = [:]
        var nextNumber = 0
    }

    /// The maximum number of events that wait for a slow reader. The stream drops the oldest.
    private static let maximumBacklog = 256

    private let watch: AdapterWatch
    private let state = Mutex(State())

    init(_ watch: AdapterWatch) {
        self.watch = watch
    }

    /// See `BluetoothAdapter.advertise`.
    func events(_ contents: AsyncStream<[Advertisement]>) -> AsyncStream<AdvertisingEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: AdvertisingEvent.self, bufferingPolicy: .bufferingNewest(Self.maximumBacklog))
        let run = AdvertisingRun(watch) { continuation.yield($0) }
        state.withLock { state in
            state.nextNumber += 1
            let number = state.nextNumber
            let task = Task { [self] in
                await run.run(contents)
                continuation.finish()
                self.state.withLock { $0.runs[number] = nil }
            }
            state.runs[number] = task
            continuation.onTermination = { _ in task.cancel() }
        }
        return stream
    }

    /// Waits until no advertisement is on the air, after all streams are no longer read.
    func waitUntilClosed() async {
        for run in state.withLock({ Array($0.runs.values) }) { await run.value }
    }
}
