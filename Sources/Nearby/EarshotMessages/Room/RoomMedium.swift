import EarshotCoding
import EarshotDiscovery
import Synchronization

/// One medium of the room. It runs discovery in the mode that the plan needs, and plays tokens in turn.
///
/// A different mode needs a new run, because a device that only scans must not have a loudspeaker open. A different
/// token does not.
final class RoomMedium: Sendable {
    let kind: DiscoveryMediumKind
    private let medium: any DiscoveryMedium
    private let turn: Duration
    private let report: @Sendable (DiscoveryEvent) -> Void
    private let parts: AsyncStream<RoomPlan.Part>.Continuation
    /// The present run of discovery, or the last one: the next run begins with its neighbours and problems.
    private let discovery = Mutex<Discovery<ContinuousClock>?>(nil)
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// A medium that is not open yet.
    /// - Parameters:
    ///   - turn: how long each of several tokens is played.
    ///   - report: receives the neighbours that come and go, and the problems.
    init(
        _ medium: any DiscoveryMedium, turn: Duration, report: @escaping @Sendable (DiscoveryEvent) -> Void
    ) {
        self.medium = medium
        self.turn = turn
        self.report = report
        kind = medium.kind
        // Only the latest part matters.
        let (stream, continuation) = AsyncStream.makeStream(
            of: RoomPlan.Part.self, bufferingPolicy: .bufferingNewest(1))
        parts = continuation
        task.withLock { $0 = Task { await self.follow(stream) } }
    }

    /// Sets the part of the plan to follow from now on.
    func set(_ part: RoomPlan.Part) {
        parts.yield(part)
    }

    /// Ends the run, and waits until everything is closed.
    func close() async {
        parts.finish()
        await task.withLock { $0 }?.value
    }

    /// One run of discovery.
    private struct Run {
        let mode: DiscoveryMode
        let tokens: AsyncStream<Payload>.Continuation
        let discovery: Discovery<ContinuousClock>
        let listening: Task<Void, Never>
        var talking: Task<Void, Never>?
    }

    private func follow(_ parts: AsyncStream<RoomPlan.Part>) async {
        var turns = TokenTurns()
        var hasTalked = false
        var run: Run?
        for await part in parts {
            // A medium repeats its last token. If no operation has that token any longer, the medium must be closed.
            let isMute = part.tokens.isEmpty && hasTalked
            let mode = isMute ? part.mode.subtracting(.broadcast) : part.mode
            let hasChanged = part.tokens != turns.tokens
            turns.update(part.tokens)
            if mode != run?.mode {
                await end(run, next: mode)
                run = mode.isEmpty ? nil : begin(mode, first: turns.current)
            } else if !hasChanged {
                continue
            }
            run?.talking?.cancel()
            run?.talking = nil
            if mode.contains(.broadcast), let tokens = run?.tokens, turns.current != nil {
                hasTalked = true
                run?.talking = talk(turns, tokens)
            }
        }
        await end(run, next: [])
    }

    private func begin(_ mode: DiscoveryMode, first: Payload?) -> Run {
        var strategy = DiscoveryStrategy()
        strategy.mode = mode
        let (tokens, continuation) = AsyncStream.makeStream(of: Payload.self, bufferingPolicy: .bufferingNewest(1))
        let discovery = discovery.withLock { last in
            let next = Discovery(
                strategy, media: [medium], first: first, tokens: tokens, after: last, clock: ContinuousClock())
            last = next
            return next
        }
        let events = discovery.events()
        return Run(
            mode: mode, tokens: continuation, discovery: discovery,
            listening: Task {
                for await event in events {
                    switch event {
                    case .found, .lost, .problem, .solved: report(event)
                    case .updated, .opened: break
                    }
                }
            })
    }

    private func end(_ run: Run?, next mode: DiscoveryMode) async {
        guard let run else { return }
        run.talking?.cancel()
        run.tokens.finish()
        // Two runs must not compete for one microphone.
        await run.discovery.end()
        await run.listening.value
        await medium.waitUntilClosed()
        for event in run.discovery.forget(for: mode) { report(event) }
    }

    private func talk(_ turns: TokenTurns, _ tokens: AsyncStream<Payload>.Continuation) -> Task<Void, Never> {
        Task {
            var turns = turns
            while !Task.isCancelled, let token = turns.current {
                tokens.yield(token)
                // A single token needs no turns.
                guard turns.tokens.count > 1, (try? await Task.sleep(for: turn)) != nil else { return }
                turns.advance()
            }
        }
    }

    /// The time when a near device was last heard; nil if it is not near.
    func lastHeard(_ payload: Payload) -> ContinuousClock.Instant? {
        discovery.withLock { $0 }?.lastHeard(payload)
    }
}
