package import EarshotCoding
package import EarshotDiscovery
import Synchronization

/// A room in memory. A medium that listens hears each token that another plays, until it ends.
///
/// A silence that only a busy machine causes must not end a device. So a token counts as present for an hour,
/// until its device falls silent: then it is heard a last time, without that patience. A token that its
/// device replaces may have its turn again.
package final class Air: Sendable {
    private let media = Mutex<[AirMedium]>([])
    /// The time between two looks of a listener.
    static let period = Duration.milliseconds(20)
    /// The silence after which a token counts as gone while it plays, after its device fell silent, and after another token.
    static let patience = Duration.seconds(3_600)
    static let patienceAtEnd = Duration.milliseconds(20)
    static let patienceBetweenTurns = Duration.seconds(10)

    package init() {}

    /// The medium of a further device.
    package func medium(_ kind: DiscoveryMediumKind = .audio) -> AirMedium {
        let medium = AirMedium(kind, in: self)
        media.withLock { $0.append(medium) }
        return medium
    }

    /// The other media that play.
    fileprivate func speakers(for listener: AirMedium) -> [AirMedium] {
        media.withLock { $0 }.filter { $0 !== listener && $0.kind == listener.kind && $0.playedToken != nil }
    }
}

/// The medium of one device. It records how it was used.
package final class AirMedium: DiscoveryMedium {
    private struct State {
        var mode: DiscoveryMode = []
        var modes: [DiscoveryMode] = []
        var token: Payload?
        var tokens: [Payload] = []
        /// The tokens of the last look, even of an earlier run: tokens that fall silent in between are gone too.
        var heard: Set<Payload> = []
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
    /// All tokens that it had to play, in order.
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
        let listening = Task { [self] in
            while mode.contains(.scan), !Task.isCancelled {
                let speakers = audibleSpeakers
                let tokens = Set(speakers.compactMap(\.playedToken)).subtracting([token].compactMap(\.self))
                for token in tokens.union(exchange(heard: tokens)) {
                    let isReplaced = speakers.contains { $0.tokens.contains(token) }
                    let patienceWhenSilent = isReplaced ? Air.patienceBetweenTurns : Air.patienceAtEnd
                    let patience = tokens.contains(token) ? Air.patience : patienceWhenSilent
                    continuation.yield(.sighting(Sighting(token: token, patience: patience)))
                }
                try? await Task.sleep(for: Air.period)
            }
        }
        continuation.onTermination = { [self] _ in
            listening.cancel()
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

    /// - Returns: the tokens of the look before.
    private func exchange(heard tokens: Set<Payload>) -> Set<Payload> {
        state.withLock { state in
            defer { state.heard = tokens }
            return state.heard
        }
    }

    /// Reports an event, if the medium is open.
    package func report(_ event: MediumEvent) {
        state.withLock { $0.continuation }?.yield(event)
    }

    /// The token that is in the air now.
    fileprivate var playedToken: Payload? {
        state.withLock { $0.mode.contains(.broadcast) && !$0.isMute ? $0.token : nil }
    }

    private var token: Payload? { state.withLock { $0.token } }

    private var audibleSpeakers: [AirMedium] { state.withLock { $0.isMute } ? [] : air.speakers(for: self) }
}
