public import EarshotCoding
import Synchronization

/// Runs a strategy: broadcasts tokens, listens for those of other devices, and reports which devices come and go.
///
///     let discovery = Discovery(media: [sound], tokens: .always(token))
///     for await event in discovery.events() { print(event) }
///
/// Time comes from a clock, so that all of it runs in simulated time too.
public final class Discovery<Time: Clock>: Sendable where Time.Duration == Duration {
    private enum Phase {
        case waiting
        case running
        case ended
    }

    private struct Readers {
        var phase = Phase.waiting
        /// The run, once it has begun.
        var run: Task<Void, Never>?
        var list: [(number: Int, continuation: AsyncStream<DiscoveryEvent>.Continuation)] = []
        /// The number of the next reader.
        var nextNumber = 0
    }

    private struct World {
        var neighbourhood = Neighbourhood()
        /// The current problems, each with its detail.
        var problems: [DiscoveryMediumKind: [DiscoveryProblem: String]] = [:]
        /// When its times count from: the start of the first run.
        var start: Time.Instant?

        /// The first events for a new reader: the neighbours, the one heard last at the end, and the problems.
        var news: [DiscoveryEvent] {
            let neighbours = neighbourhood.neighbours.sorted { $0.lastHeard < $1.lastHeard }
            let problems = problems.flatMap { medium, problems in
                problems.map { DiscoveryEvent.problem($0.key, medium, detail: $0.value) }
            }
            return neighbours.map { .found($0) } + problems
        }

        /// For the next run. Another device may then broadcast what was this device's own, such as the same direct message.
        var forNextRun: World {
            var next = self
            next.neighbourhood.forgetOwnTokens()
            return next
        }

        /// Ends the problems of a medium, or of all, for which a condition holds.
        mutating func end(on medium: DiscoveryMediumKind? = nil, where isOver: (DiscoveryProblem) -> Bool)
            -> [DiscoveryEvent]
        {
            var events: [DiscoveryEvent] = []
            for kind in medium.map({ [$0] }) ?? Array(problems.keys) {
                for problem in problems[kind, default: [:]].keys.filter(isOver) {
                    problems[kind]?[problem] = nil
                    events.append(.solved(problem, kind))
                }
            }
            return events
        }
    }

    /// The strategy that it runs.
    public let strategy: DiscoveryStrategy

    private let media: [any DiscoveryMedium]
    private let tokens: AsyncStream<Payload>
    private let first: Payload?
    private let clock: Time
    /// Locked while readers receive events, so that all receive them in the same order.
    private let world: Mutex<World>
    /// Not locked while a reader receives an event: the end of a reader locks it while holding a lock that an event
    /// needs.
    private let readers = Mutex(Readers())
    /// The time from one search for silent neighbours to the next.
    private var expiryInterval: Duration { .milliseconds(250) }
    /// The maximum number of events that wait for a slow reader. The stream drops the oldest: newer ones matter more.
    private var maximumBacklog: Int { 4_096 }

    /// - Parameters:
    ///   - strategy: how to find and be found.
    ///   - media: the available media; the strategy chooses among them.
    ///   - tokens: the tokens to broadcast, each until the next one comes. Not read if the mode has no `broadcast`.
    ///   - clock: the time.
    public convenience init(
        _ strategy: DiscoveryStrategy = DiscoveryStrategy(), media: [any DiscoveryMedium],
        tokens: AsyncStream<Payload>, clock: Time = ContinuousClock()
    ) {
        self.init(strategy, media: media, first: nil, tokens: tokens, clock: clock)
    }

    /// - Parameters:
    ///   - first: broadcast before any other. The media receive it before they open, so they do not play a token of an
    ///     earlier run.
    ///   - earlier: a run on the same media that has ended. The new run begins with its neighbours and problems, because
    ///     another mode does not change the room. The first stream of the new run has only the changes after that.
    package init(
        _ strategy: DiscoveryStrategy, media: [any DiscoveryMedium], first: Payload?, tokens: AsyncStream<Payload>,
        after earlier: Discovery? = nil, clock: Time
    ) {
        world = Mutex(earlier?.world.withLock(\.forNextRun) ?? World())
        self.strategy = strategy
        self.media = media.filter { strategy.uses($0.kind) }
        self.tokens = tokens
        self.first = first
        self.clock = clock
    }

    /// The events from now on, in order.
    ///
    /// The first call opens the media and begins the run. Each further call returns another stream of the same run,
    /// which starts with `found` for each neighbour and `problem` for each current problem. The run ends with the time
    /// to live, or when no stream is read any longer. A run cannot be repeated, because its tokens are used up: after
    /// its end, this method returns an empty stream. Create another `Discovery` then.
    public func events() -> AsyncStream<DiscoveryEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DiscoveryEvent.self, bufferingPolicy: .bufferingNewest(maximumBacklog))
        world.withLock { world in
            guard let number = begin(continuation, in: &world) else {
                continuation.finish()
                return
            }
            continuation.onTermination = { [self] _ in leave(number) }
            guard number > 1 else { return }
            for event in world.news { continuation.yield(event) }
        }
        return stream
    }

    /// Adds a reader. With the first one the run begins.
    /// - Returns: the reader's number; nil after the end of the run.
    private func begin(_ continuation: AsyncStream<DiscoveryEvent>.Continuation, in world: inout World) -> Int? {
        readers.withLock { readers in
            if case .ended = readers.phase { return nil }
            readers.nextNumber += 1
            readers.list.append((readers.nextNumber, continuation))
            guard case .waiting = readers.phase else { return readers.nextNumber }
            let start = clock.now
            world.start = world.start ?? start
            readers.phase = .running
            readers.run = Task { [self] in
                await run(from: start)
                finish()
            }
            return readers.nextNumber
        }
    }

    private func leave(_ number: Int) {
        let task = readers.withLock { readers -> Task<Void, Never>? in
            readers.list.removeAll { $0.number == number }
            guard readers.list.isEmpty, case .running = readers.phase else { return nil }
            readers.phase = .ended
            return readers.run
        }
        task?.cancel()
    }

    /// Returns when a started run is over and its media are released: the end of the last stream only requests that.
    public func waitUntilEnded() async { await readers.withLock { $0.run }?.value }

    /// Ends a started run. Its streams end after the last event.
    package func end() async {
        readers.withLock { $0.run }?.cancel()
        await waitUntilEnded()
    }

    /// Forgets the neighbours, if a run in this mode does not scan, and an occupied band, which the next run notices itself.
    /// - Returns: the events of these changes.
    package func forget(for mode: DiscoveryMode) -> [DiscoveryEvent] {
        world.withLock { world in
            let problems = world.end { $0 == .bandOccupied }
            return mode.contains(.scan) ? problems : world.neighbourhood.removeAll() + problems
        }
    }

    /// The time when a neighbour was last heard; nil if it is not near.
    package func lastHeard(_ token: Payload) -> Time.Instant? {
        world.withLock { world in
            world.neighbourhood[token].flatMap { world.start?.advanced(by: $0.lastHeard) }
        }
    }

    private func finish() {
        let list = readers.withLock { readers in
            readers.phase = .ended
            return exchange(&readers.list, with: [])
        }
        for reader in list { reader.continuation.finish() }
    }

    /// Changes the world, and sends the events of the change to all readers.
    private func change(_ change: (inout World) -> [DiscoveryEvent]) {
        world.withLock { world in
            let events = change(&world)
            guard !events.isEmpty else { return }
            let list = readers.withLock { $0.list }
            for event in events {
                for reader in list { reader.continuation.yield(event) }
            }
        }
    }

    private func run(from start: Time.Instant) async {
        if let first, strategy.mode.contains(.broadcast) { await say(first) }
        await withTaskGroup(of: Void.self) { group in
            for medium in media {
                group.addTask { await self.listen(to: medium) }
            }
            if strategy.mode.contains(.broadcast) {
                group.addTask { for await token in self.tokens { await self.say(token) } }
            }
            await expire(from: start)
            group.cancelAll()
        }
    }

    private func listen(to medium: any DiscoveryMedium) async {
        for await event in medium.events(mode: strategy.mode) {
            change { world in
                switch event {
                case .sighting(let sighting):
                    guard strategy.mode.contains(.scan) else { return [] }
                    return world.neighbourhood.see(sighting, on: medium.kind, now: time(in: world)).map { [$0] } ?? []
                case .problem(let problem, let detail):
                    guard world.problems[medium.kind]?[problem] == nil else { return [] }
                    world.problems[medium.kind, default: [:]][problem] = detail
                    return [.problem(problem, medium.kind, detail: detail)]
                case .solved(let problem): return world.end(on: medium.kind) { $0 == problem }
                case .opened(let mode):
                    return world.end(on: medium.kind) { $0.isOver(opened: mode) } + [.opened(mode, medium.kind)]
                }
            }
        }
    }

    /// The time from the start of the first run.
    private func time(in world: World) -> Duration { world.start?.duration(to: clock.now) ?? .zero }

    private func say(_ token: Payload) async {
        // Before any device can hear the token, because its echo must not count as a neighbour.
        change { world in world.neighbourhood.own(token).map { [$0] } ?? [] }
        for medium in media { await medium.broadcast(token) }
    }

    private func expire(from start: Time.Instant) async {
        var next = start
        let end = strategy.timeToLive.map { start.advanced(by: $0) }
        while !Task.isCancelled {
            next = next.advanced(by: expiryInterval)
            if let end, next > end { next = end }
            do { try await clock.sleep(until: next, tolerance: nil) } catch { return }
            change { world in world.neighbourhood.expire(now: time(in: world)) }
            if let end, clock.now >= end { return }
        }
    }
}

extension AsyncStream<Payload> {
    /// A single token: for a device that does not rotate its token.
    public static func always(_ token: Payload) -> AsyncStream<Payload> {
        AsyncStream { continuation in continuation.yield(token) }
    }

    /// No token: for a device that only scans.
    public static var none: AsyncStream<Payload> {
        AsyncStream { continuation in continuation.finish() }
    }
}
