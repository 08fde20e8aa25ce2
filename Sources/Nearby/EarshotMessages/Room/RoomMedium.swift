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
    private let confirmation: Duration
    private let report: @Sendable (RoomEvent) -> Void
    private let parts: AsyncStream<RoomPlan.Part>.Continuation
    private let book = Mutex(NearBook())
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// A medium that is not open yet.
    /// - Parameters:
    ///   - turn: how long each of several tokens is played.
    ///   - confirmation: the time in which a new run must hear a device of the previous run; otherwise the device
    ///     counts as gone.
    init(
        _ medium: any DiscoveryMedium, turn: Duration, confirmation: Duration,
        report: @escaping @Sendable (RoomEvent) -> Void
    ) {
        self.medium = medium
        self.turn = turn
        self.confirmation = confirmation
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
        let confirming: Task<Void, Never>
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
                await end(run)
                run = nil
                tell { $0.restart(mode: mode) }
                if !mode.isEmpty { run = begin(mode, first: turns.current) }
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
        await end(run)
        tell { $0.restart(mode: []) }
    }

    private func begin(_ mode: DiscoveryMode, first: Payload?) -> Run {
        var strategy = DiscoveryStrategy()
        strategy.mode = mode
        let (tokens, continuation) = AsyncStream.makeStream(of: Payload.self, bufferingPolicy: .bufferingNewest(1))
        let discovery = Discovery(strategy, media: [medium], first: first, tokens: tokens)
        return Run(
            mode: mode, tokens: continuation, discovery: discovery,
            listening: Task {
                let start = ContinuousClock.now
                for await event in discovery.events() { take(event, from: start) }
            },
            confirming: Task {
                guard (try? await Task.sleep(for: confirmation)) != nil else { return }
                tell { $0.dropUnconfirmed() }
            })
    }

    private func end(_ run: Run?) async {
        guard let run else { return }
        run.talking?.cancel()
        run.confirming.cancel()
        run.listening.cancel()
        await run.listening.value
        await run.confirming.value
        run.tokens.finish()
        // Two runs must not compete for one microphone; a run that ends at once may not have opened it yet.
        await run.discovery.waitUntilEnded()
        await medium.waitUntilClosed()
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
    func lastHeard(_ payload: Payload) -> ContinuousClock.Instant? { book.withLock { $0.lastHeard(payload) } }

    /// - Parameter start: the start of the run of discovery, from which its times count.
    private func take(_ event: DiscoveryEvent, from start: ContinuousClock.Instant) {
        func heard(_ neighbour: Neighbour) -> ContinuousClock.Instant { start + neighbour.lastHeard }
        tell { book in
            let change: RoomEvent?
            switch event {
            case .found(let neighbour): change = book.find(neighbour.token, heard(neighbour))
            case .updated(let neighbour):
                book.hear(neighbour.token, heard(neighbour))
                change = nil
            case .lost(let neighbour): change = book.lose(neighbour.token)
            case .problem(let problem, _, let detail): change = book.begin(problem, detail: detail)
            case .solved(let problem, _): change = book.end(problem)
            case .opened(let mode, _): return book.open(mode)
            }
            return change.map { [$0] } ?? []
        }
    }

    /// Reports within the lock, so that events keep the order in which they happened.
    private func tell(_ change: (inout NearBook) -> [RoomEvent]) {
        book.withLock { book in
            for event in change(&book) { report(event) }
        }
    }
}
