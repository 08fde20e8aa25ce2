import EarshotCoding
import NearbyWire

/// Decides which tokens to report to the service, and when. It has no clock and sends nothing: the caller passes the time since
/// the manager began.
///
/// A new token waits a moment for others; a lost one does not. A token that stays near is reported again well before
/// the service forgets it, together with others that are nearly due. A token that the service does not know is not
/// reported again for ten minutes.
///
/// While the service counts a token as heard, it expects a sign of life from the device: an open event stream, or
/// regular reports, which are empty if no token is due. After a longer silence the service may have forgotten all
/// sightings, so the next report repeats all near tokens.
struct SightingReporter: Sendable {
    /// The maximum number of tokens that the service accepts at once.
    static let tokensPerReport = 100
    /// The limits of memory: further tokens are ignored.
    static let maximumNearCount = 4_096
    static let maximumUnknownCount = 10_000
    static let unknownMemory = Duration.seconds(600)

    private struct Near: Sendable {
        /// The time at which it is due.
        var due: Duration
        /// Whether the service counts it as heard.
        var isKnown = false
    }

    private let delay: Duration
    private let renewal: Duration
    private let signOfLife: Duration
    /// Whether the event stream of the device is open.
    var hasStream = false
    /// The time when the latest accepted report was sent.
    private var lastReport: Duration?
    private var near: [Payload: Near] = [:]
    /// Tokens that are gone but still count as heard at the service, in the order in which they left.
    private var gone: [Payload] = []
    /// Tokens that the service does not know, with the time until which they are not reported.
    private var unknownTokens: [Payload: Duration] = [:]
    private var underway: (report: SightingReport, sent: Duration)?
    /// Whether what is underway is to be reported again.
    private var isOutdated = false

    /// - Parameters:
    ///   - delay: how long a new token waits for others.
    ///   - renewal: the time after which a token that stays near is reported again.
    ///   - signOfLife: the maximum time between two reports while the service counts a token as heard and no stream is open.
    init(delay: Duration, renewal: Duration, signOfLife: Duration) {
        self.delay = delay
        self.renewal = renewal
        self.signOfLife = signOfLife
    }

    /// A token came near.
    mutating func hear(_ token: Payload, now: Duration) {
        guard near[token] == nil, near.count < Self.maximumNearCount else { return }
        let wasGone = gone.firstIndex(of: token).map { gone.remove(at: $0) } != nil
        near[token] = Near(due: max(now + delay, unknownTokens[token] ?? .zero), isKnown: wasGone)
    }

    /// A token is no longer near.
    mutating func lose(_ token: Payload) {
        guard let known = near.removeValue(forKey: token) else { return }
        if known.isKnown || underway?.report.heard.contains(token) == true { gone.append(token) }
    }

    /// The service has lost all reports.
    mutating func forget(now: Duration) {
        gone = []
        underway = nil
        lastReport = nil
        for token in near.keys { near[token] = Near(due: max(now, unknownTokens[token] ?? .zero)) }
    }

    /// All that is near is due again: the device has another publication. The service may not know any more what the device hears, and in
    /// a sealed project it has no key of the new message for that.
    mutating func repeatAll(now: Duration) {
        for (token, known) in near where known.isKnown { near[token]?.due = min(known.due, now) }
        isOutdated = underway != nil
    }

    /// The number of unknown tokens remembered.
    var unknownCount: Int { unknownTokens.count }

    /// The time of the next report; nil if no token is near.
    var dueAt: Duration? {
        guard gone.isEmpty else { return .zero }
        guard let due = near.values.map(\.due).min() else { return nil }
        guard !hasStream, let lastReport, near.values.contains(where: \.isKnown) else { return due }
        return min(due, lastReport + signOfLife)
    }

    /// The report to send now; nil if none is due. `answered` or `failed` must follow before the next one.
    mutating func next(now: Duration) -> SightingReport? {
        guard underway == nil, let dueAt, dueAt <= now else { return nil }
        if !hasStream, let lastReport, now - lastReport >= signOfLife * 2 { repeatAll(now: now) }
        let lost = gone.prefix(Self.tokensPerReport)
        // Tokens that are nearly due join the report.
        let soon = near.filter { $0.value.due <= ($0.value.isKnown ? now + renewal / 2 : now) }
        let heard = soon.sorted { $0.value.due < $1.value.due }.prefix(Self.tokensPerReport - lost.count)
        let report = SightingReport(heard: heard.map(\.key), lost: Array(lost))
        underway = (report, now)
        return report
    }

    /// The service accepted the report.
    /// - Parameters:
    ///   - statuses: the status of each token. A token without one is asked again in the next report.
    ///   - ages: how long ago tokens of the report were last heard. The service forgets these so much earlier.
    mutating func answered(_ statuses: [Payload: TokenStatus], ages: [Payload: Duration] = [:], now: Duration) {
        guard let (report, sent) = underway else { return }
        underway = nil
        lastReport = sent
        defer { if isOutdated { repeatAll(now: now) } }
        let lost = Set(report.lost)
        gone.removeAll { lost.contains($0) && near[$0] == nil }
        for token in report.heard {
            switch statuses[token] {
            case .valid:
                let pause = max(renewal - ages[token, default: .zero], renewal / 4)
                near[token] = near[token].map { _ in Near(due: now + pause, isKnown: true) }
            case .invalid, .expired:
                gone.removeAll { $0 == token }
                remember(unknown: token, until: now + Self.unknownMemory, now: now)
                near[token] = near[token].map { _ in Near(due: now + Self.unknownMemory) }
            case nil:
                near[token] = near[token].map { Near(due: now + renewal / 2, isKnown: $0.isKnown) }
            }
        }
    }

    /// The report failed, and is still due. It may have arrived, so tokens that left meanwhile are reported as gone.
    mutating func failed() {
        underway = nil
    }

    private mutating func remember(unknown token: Payload, until: Duration, now: Duration) {
        unknownTokens[token] = until
        guard unknownTokens.count > Self.maximumUnknownCount else { return }
        unknownTokens = unknownTokens.filter { $0.value > now }
        // No entry has expired: forgets a tenth at once, so that this happens rarely.
        if unknownTokens.count > Self.maximumUnknownCount {
            for (token, _) in unknownTokens.sorted(by: { $0.value < $1.value }).prefix(Self.maximumUnknownCount / 10) {
                unknownTokens[token] = nil
            }
        }
    }
}
