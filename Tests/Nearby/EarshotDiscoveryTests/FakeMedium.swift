import EarshotCoding
import EarshotDiscovery
import Synchronization

/// A medium that reports the events of a test, and remembers its calls.
final class FakeMedium: DiscoveryMedium {
    private struct State {
        var modes: [DiscoveryMode] = []
        var tokens: [Payload] = []
        var tokensAtOpening: [Payload] = []
        var continuation: AsyncStream<MediumEvent>.Continuation?
        var isClosed = false
    }

    let kind: DiscoveryMediumKind
    private let state = Mutex(State())

    init(_ kind: DiscoveryMediumKind) {
        self.kind = kind
    }

    /// The modes for which it was opened.
    var modes: [DiscoveryMode] { state.withLock { $0.modes } }
    var tokens: [Payload] { state.withLock { $0.tokens } }
    /// The tokens that it had when it last opened.
    var tokensAtOpening: [Payload] { state.withLock { $0.tokensAtOpening } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    func events(mode: DiscoveryMode) -> AsyncStream<MediumEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: MediumEvent.self)
        state.withLock { state in
            state.modes.append(mode)
            state.tokensAtOpening = state.tokens
            state.continuation = continuation
            state.isClosed = false
        }
        continuation.onTermination = { [self] _ in
            state.withLock { ($0.continuation, $0.isClosed) = (nil, true) }
        }
        return stream
    }

    func broadcast(_ token: Payload) async {
        state.withLock { $0.tokens.append(token) }
    }

    /// Reports an event as soon as the medium is open.
    func report(_ event: MediumEvent) async {
        while !Task.isCancelled {
            if let continuation = state.withLock({ $0.continuation }) {
                continuation.yield(event)
                return
            }
            await Task.yield()
        }
    }
}
