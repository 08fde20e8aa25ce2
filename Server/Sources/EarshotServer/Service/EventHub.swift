import Synchronization

/// Wakes the event streams of devices. It does not carry events: a woken stream reads new changes from the store, so a
/// slow stream does not delay others, misses no change and takes no memory.
final class EventHub: Sendable {
    private struct State {
        var streams: [Int64: [OpenStream]] = [:]
        /// The streams in shares, by the remainders of their numbers.
        var shares = [[Int: OpenStream]](repeating: [:], count: EventHub.shareCount)
        var count = 0
    }

    private let state = Mutex(State())
    /// The number of shares in which all streams are woken, one after the other.
    static let shareCount = 60

    /// The number of open streams.
    var count: Int { state.withLock { $0.count } }

    /// Adds a stream of a device. If the device has `limit` streams already, its oldest one ends: most likely its
    /// client has disconnected, and the service has not noticed yet.
    func open(_ stream: OpenStream, device: Int64, limit: Int) {
        let oldest = state.withLock { state in
            var streams = state.streams[device] ?? []
            let oldest = streams.count >= limit ? streams.removeFirst() : nil
            streams.append(stream)
            state.streams[device] = streams
            state.shares[stream.number % Self.shareCount][stream.number] = stream
            state.count += oldest == nil ? 1 : 0
            return oldest
        }
        oldest?.finish()
    }

    func close(_ stream: OpenStream, device: Int64) {
        state.withLock { state in
            state.shares[stream.number % Self.shareCount][stream.number] = nil
            guard var streams = state.streams[device], let index = streams.firstIndex(where: { $0 === stream })
            else { return }
            streams.remove(at: index)
            state.streams[device] = streams.isEmpty ? nil : streams
            state.count -= 1
        }
    }

    func wake(_ devices: Set<Int64>) { for stream in streams(of: devices) { stream.wake() } }

    /// Ends the streams of devices that another node serves.
    func end(_ devices: Set<Int64>) { for stream in streams(of: devices) { stream.finish() } }

    private func streams(of devices: Set<Int64>) -> [OpenStream] {
        state.withLock { state in devices.flatMap { state.streams[$0] ?? [] } }
    }

    /// Wakes a share of the streams. They then send a comment, which detects dead connections. Waking all streams
    /// together would cause a burst of packets, which networks drop.
    func wake(share: Int) {
        let streams = state.withLock { Array($0.shares[share % Self.shareCount].values) }
        for stream in streams { stream.wake() }
    }
}
