public import EarshotCoding
import Synchronization

/// Runs a strategy: says tokens, listens for others, and reports who comes and goes.
///
///     let discovery = Discovery(media: [sound], tokens: .always(token))
///     for await event in discovery.events { print(event) }
///
/// Time is a clock's, so that all of it runs in simulated time too.
public final class Discovery<Time: Clock>: Sendable where Time.Duration == Duration {
    /// What is wanted.
    public let strategy: DiscoveryStrategy

    private let media: [any DiscoveryMedium]
    private let tokens: AsyncStream<Payload>
    private let clock: Time
    private let neighbourhood = Mutex(Neighbourhood())
    private let problems = Mutex<[DiscoveryMediumKind: Set<DiscoveryProblem>]>([:])
    private let hasBegun = Atomic(false)
    /// How often to look who is gone.
    private var expiryInterval: Duration { .milliseconds(250) }
    /// Events that wait for a slow reader; the oldest are given up, a newer one says more.
    private var largestBacklog: Int { 4_096 }

    /// - Parameters:
    ///   - media: those there are; the strategy chooses among them.
    ///   - tokens: what to say, each until the next one comes. Not asked for where the mode has no `broadcast`.
    public init(
        _ strategy: DiscoveryStrategy = DiscoveryStrategy(), media: [any DiscoveryMedium],
        tokens: AsyncStream<Payload>, clock: Time = ContinuousClock()
    ) {
        self.strategy = strategy
        self.media = media.filter { strategy.uses($0.kind) }
        self.tokens = tokens
        self.clock = clock
    }

    /// What happens. Begins when this is called, and ends when it is no longer read, or with the time to live. Once.
    public var events: AsyncStream<DiscoveryEvent> {
        precondition(!hasBegun.exchange(true, ordering: .relaxed), "a discovery is run once")
        let (stream, continuation) = AsyncStream.makeStream(
            of: DiscoveryEvent.self, bufferingPolicy: .bufferingNewest(largestBacklog))
        let start = clock.now
        let task = Task { [self] in
            await run(from: start) { continuation.yield($0) }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    private func run(from start: Time.Instant, _ report: @escaping @Sendable (DiscoveryEvent) -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for medium in media {
                group.addTask { await self.listen(to: medium, from: start, report) }
            }
            if strategy.mode.contains(.broadcast) {
                group.addTask { await self.say(report) }
            }
            await expire(from: start, report)
            group.cancelAll()
        }
    }

    private func listen(
        to medium: any DiscoveryMedium, from start: Time.Instant, _ report: @Sendable (DiscoveryEvent) -> Void
    ) async {
        for await event in medium.events(mode: strategy.mode) {
            switch event {
            case .sighting(let sighting):
                guard strategy.mode.contains(.scan) else { continue }
                neighbourhood.withLock { neighbourhood in
                    let now = start.duration(to: clock.now)
                    if let event = neighbourhood.see(sighting, on: medium.kind, now: now) { report(event) }
                }
            case .problem(let problem, let detail):
                let isNew = problems.withLock { $0[medium.kind, default: []].insert(problem).inserted }
                if isNew { report(.problem(problem, medium.kind, detail: detail)) }
            case .solved(let problem):
                let wasThere = problems.withLock { $0[medium.kind]?.remove(problem) != nil }
                if wasThere { report(.solved(problem, medium.kind)) }
            }
        }
    }

    private func say(_ report: @Sendable (DiscoveryEvent) -> Void) async {
        for await token in tokens {
            // Ours before anybody can hear it.
            neighbourhood.withLock { neighbourhood in
                if let event = neighbourhood.own(token) { report(event) }
            }
            for medium in media { await medium.broadcast(token) }
        }
    }

    private func expire(from start: Time.Instant, _ report: @Sendable (DiscoveryEvent) -> Void) async {
        var next = start
        let end = strategy.timeToLive.map { start.advanced(by: $0) }
        while !Task.isCancelled {
            next = next.advanced(by: expiryInterval)
            if let end, next > end { next = end }
            do { try await clock.sleep(until: next, tolerance: nil) } catch { return }
            neighbourhood.withLock { neighbourhood in
                for event in neighbourhood.expire(now: start.duration(to: clock.now)) { report(event) }
            }
            if let end, clock.now >= end { return }
        }
    }
}

extension AsyncStream<Payload> {
    /// One token, and never another.
    public static func always(_ token: Payload) -> AsyncStream<Payload> {
        AsyncStream { continuation in continuation.yield(token) }
    }

    /// None: for whoever only scans.
    public static var none: AsyncStream<Payload> {
        AsyncStream { continuation in continuation.finish() }
    }
}
