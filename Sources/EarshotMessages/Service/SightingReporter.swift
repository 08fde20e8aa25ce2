import EarshotCoding

/// Which tokens to report to the service, and when. No clock and no request: time is what it is told, since the manager began.
///
/// A token that is new waits a moment for others, one that is lost does not. What is still near is reported again well before the
/// service forgets it, together with others that are nearly due. What the service does not know is left alone for ten minutes.
struct SightingReporter: Sendable {
    /// The service takes so many at once.
    static let tokensPerReport = 100
    /// More are not remembered: nobody shall fill the memory.
    static let largestNearCount = 4_096
    static let largestStrangerCount = 10_000
    static let strangerMemory = Duration.seconds(600)

    private struct Near: Sendable {
        /// When to report it.
        var due: Duration
        /// Whether the service counts it as heard.
        var isKnown = false
    }

    private let delay: Duration
    private let renewal: Duration
    private var near: [Payload: Near] = [:]
    /// What the service counts as heard and is gone; the longest waiting first.
    private var gone: [Payload] = []
    /// Until when not to report them.
    private var strangers: [Payload: Duration] = [:]
    private var underway: SightingReport?

    /// - Parameters:
    ///   - delay: how long a new token waits for others.
    ///   - renewal: after how long one that is near is reported again.
    init(delay: Duration, renewal: Duration) {
        self.delay = delay
        self.renewal = renewal
    }

    /// A token came near.
    mutating func hear(_ token: Payload, now: Duration) {
        guard near[token] == nil, near.count < Self.largestNearCount else { return }
        let wasGone = gone.firstIndex(of: token).map { gone.remove(at: $0) } != nil
        near[token] = Near(due: max(now + delay, strangers[token] ?? .zero), isKnown: wasGone)
    }

    /// It is no longer near.
    mutating func lose(_ token: Payload) {
        guard let known = near.removeValue(forKey: token) else { return }
        if known.isKnown || underway?.heard.contains(token) == true { gone.append(token) }
    }

    /// The service knows nothing of what was reported any more.
    mutating func forget(now: Duration) {
        gone = []
        underway = nil
        for token in near.keys { near[token] = Near(due: max(now, strangers[token] ?? .zero)) }
    }

    /// How many strangers are remembered.
    var strangerCount: Int { strangers.count }

    /// When there will be something to report; nil where nothing is near.
    var dueAt: Duration? { gone.isEmpty ? near.values.map(\.due).min() : .zero }

    /// What to report now, if anything. To be answered before the next one.
    mutating func next(now: Duration) -> SightingReport? {
        guard underway == nil, let dueAt, dueAt <= now else { return nil }
        let lost = gone.prefix(Self.tokensPerReport)
        // Those nearly due come along.
        let soon = near.filter { $0.value.due <= ($0.value.isKnown ? now + renewal / 2 : now) }
        let heard = soon.sorted { $0.value.due < $1.value.due }.prefix(Self.tokensPerReport - lost.count)
        let report = SightingReport(heard: heard.map(\.key), lost: Array(lost))
        underway = report
        return report
    }

    /// The service took the report.
    /// - Parameter statuses: what it says; a token that it says nothing of is asked again with the next.
    mutating func answered(_ statuses: [Payload: SightingStatus], now: Duration) {
        guard let report = underway else { return }
        underway = nil
        let lost = Set(report.lost)
        gone.removeAll { lost.contains($0) && near[$0] == nil }
        for token in report.heard {
            switch statuses[token] {
            case .valid: near[token] = near[token].map { _ in Near(due: now + renewal, isKnown: true) }
            case .invalid, .expired:
                gone.removeAll { $0 == token }
                remember(stranger: token, until: now + Self.strangerMemory, now: now)
                near[token] = near[token].map { _ in Near(due: now + Self.strangerMemory) }
            case nil:
                near[token] = near[token].map { Near(due: now + renewal / 2, isKnown: $0.isKnown) }
            }
        }
    }

    /// The report failed: all of it is still due. It may have arrived, so what went meanwhile is reported as gone.
    mutating func failed() {
        underway = nil
    }

    private mutating func remember(stranger token: Payload, until: Duration, now: Duration) {
        strangers[token] = until
        guard strangers.count > Self.largestStrangerCount else { return }
        strangers = strangers.filter { $0.value > now }
        // All are fresh: a tenth is forgotten at once, so that this is rare.
        if strangers.count > Self.largestStrangerCount {
            for (token, _) in strangers.sorted(by: { $0.value < $1.value }).prefix(Self.largestStrangerCount / 10) {
                strangers[token] = nil
            }
        }
    }
}
