package import EarshotCoding
package import EarshotDiscovery
import Synchronization

/// A room in memory. All media that listen hear at once what another medium plays.
package final class Air: Sendable {
    private let media = Mutex<[AirMedium]>([])
    /// The time between two broadcasts of a medium.
    static let period = Duration.milliseconds(20)
    /// The silence after which a device counts as gone; long enough for a machine that is busy with other tests.
    let patience: Duration

    package init(patience: Duration = .seconds(3)) {
        self.patience = patience
    }

    /// The medium of a further device.
    package func medium(_ kind: DiscoveryMediumKind = .audio) -> AirMedium {
        let medium = AirMedium(kind, in: self)
        media.withLock { $0.append(medium) }
        return medium
    }

    fileprivate func say(_ token: Payload, from speaker: AirMedium) {
        for medium in media.withLock({ $0 }) where medium !== speaker && medium.kind == speaker.kind {
            medium.hear(token, patience: patience)
        }
    }
}

/// The medium of one device. It records how it was used.
package final class AirMedium: DiscoveryMedium {
    private struct State {
        var mode: DiscoveryMode = []
        var modes: [DiscoveryMode] = []
        var token: Payload?
        var tokens: [Payload] = []
        var isMute = false
        var run = 0
        var continuation: AsyncStream<MediumEvent>.Continuation?
    }

    package let kind: DiscoveryMediumKind
    private let air: Air
    private let state = Mutex(State())

    fileprivate init(_ kind: DiscoveryMediumKind, in air: Air) {
        self.kind = kind
        self.air = air
    }

    /// The open directions.
    package var mode: DiscoveryMode { state.withLock { $0.mode } }
    /// All modes in which it was opened.
    package var modes: [DiscoveryMode] { state.withLock { $0.modes } }
    /// All tokens that it was told to play, in order.
    package var tokens: [Payload] { state.withLock { $0.tokens } }

    /// Takes the device out of the room, or back: while it is away, it neither hears nor is heard.
    package func setAway(_ isAway: Bool) { state.withLock { $0.isMute = isAway } }

    package func events(mode: DiscoveryMode) -> AsyncStream<MediumEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: MediumEvent.self)
        let run = state.withLock { state in
            precondition(state.mode.isEmpty, "a medium is opened once at a time")
            state.run += 1
            state.mode = mode
            state.modes.append(mode)
            state.continuation = continuation
            return state.run
        }
        let talking = Task {
            while !Task.isCancelled {
                let token = state.withLock { $0.mode.contains(.broadcast) && !$0.isMute ? $0.token : nil }
                if let token { air.say(token, from: self) }
                try? await Task.sleep(for: Air.period)
            }
        }
        continuation.onTermination = { [self] _ in
            talking.cancel()
            state.withLock { state in
                guard state.run == run else { return }
                state.mode = []
                state.continuation = nil
            }
        }
        return stream
    }

    package func broadcast(_ token: Payload) async {
        state.withLock { state in
            state.token = token
            if state.tokens.last != token { state.tokens.append(token) }
        }
    }

    /// Reports an event, if the medium is open.
    package func report(_ event: MediumEvent) {
        state.withLock { $0.continuation }?.yield(event)
    }

    fileprivate func hear(_ token: Payload, patience: Duration) {
        let continuation = state.withLock { state in
            state.mode.contains(.scan) && !state.isMute && state.token != token ? state.continuation : nil
        }
        continuation?.yield(.sighting(Sighting(token: token, patience: patience)))
    }
}
