import Synchronization

/// Wakes the event streams of devices. It carries no events: a woken stream reads new changes from the store, so a slow
/// stream delays no other, misses no change and costs no memory.
final class EventHub: Sendable {
    /// One open stream.
    struct Stream: Sendable {
        let id: Int
        /// Yields an element whenever there may be a change. Ends when the stream must end.
        let wakes: AsyncStream<Void>
        let continuation: AsyncStream<Void>.Continuation
    }

    private struct State {
        var streams: [Int64: [Stream]] = [:]
        /// The streams by the remainders of their numbers.
        var shares = [[Int: AsyncStream<Void>.Continuation]](repeating: [:], count: EventHub.shareCount)
        var count = 0
        var nextID = 0
    }

    private let state = Mutex(State())
    /// The number of shares in which all streams are woken, one after the other.
    static let shareCount = 60

    /// The number of open streams.
    var count: Int { state.withLock { $0.count } }

    /// Opens a stream for a device. If the device has `limit` streams already, its oldest one ends: most likely its
    /// client has gone, and the service has not noticed yet.
    func open(device: Int64, limit: Int) -> Stream {
        let (wakes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (stream, oldest) = state.withLock { state in
            state.nextID += 1
            let stream = Stream(id: state.nextID, wakes: wakes, continuation: continuation)
            var streams = state.streams[device] ?? []
            let oldest = streams.count >= limit ? streams.removeFirst() : nil
            streams.append(stream)
            state.streams[device] = streams
            state.shares[stream.id % Self.shareCount][stream.id] = continuation
            state.count += oldest == nil ? 1 : 0
            return (stream, oldest)
        }
        oldest?.continuation.finish()
        return stream
    }

    func close(_ stream: Stream, device: Int64) {
        stream.continuation.finish()
        state.withLock { state in
            state.shares[stream.id % Self.shareCount][stream.id] = nil
            guard var streams = state.streams[device], let index = streams.firstIndex(where: { $0.id == stream.id })
            else { return }
            streams.remove(at: index)
            state.streams[device] = streams.isEmpty ? nil : streams
            state.count -= 1
        }
    }

    func wake(_ devices: Set<Int64>) {
        let continuations = state.withLock { state in
            devices.flatMap { state.streams[$0] ?? [] }.map(\.continuation)
        }
        for continuation in continuations { continuation.yield() }
    }

    /// Ends the streams of devices that another node serves.
    func end(_ devices: Set<Int64>) {
        let continuations = state.withLock { state in
            devices.flatMap { state.streams[$0] ?? [] }.map(\.continuation)
        }
        for continuation in continuations { continuation.finish() }
    }

    /// Wakes a share of the streams, which then send something, so that a dead connection is noticed. All at once would be a burst of
    /// packets that networks drop.
    func wake(share: Int) {
        let continuations = state.withLock { Array($0.shares[share % Self.shareCount].values) }
        for continuation in continuations { continuation.yield() }
    }
}
