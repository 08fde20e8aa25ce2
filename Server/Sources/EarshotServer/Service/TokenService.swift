import EarshotCoding
import FoundationEssentials
import Synchronization

/// The token service without HTTP: rules and limits around a store, with a replaceable clock.
final class TokenService: Sendable {
    let store: any Store
    /// The settings that the operator may change while it runs.
    let settings: SharedSettings
    let clock: any ServiceClock
    let hub = EventHub()
    let metrics = Metrics()
    /// The connections of the public listener.
    let connections: OpenConnections
    let health: Health
    /// The origins that any browser key allows.
    let browserOrigins: OriginList
    private let rates = RateLimiter()
    /// The last time at which a sweep had ended everything due.
    private let swept = Mutex(ContinuousClock.now)

    init(store: any Store, limits: ServiceLimits = ServiceLimits()) {
        self.store = store
        health = Health(store)
        browserOrigins = OriginList(store)
        connections = OpenConnections(limits)
        settings = SharedSettings(Settings(limits: limits))
        clock = store.clock
    }

    var limits: ServiceLimits { settings.read(\.limits) }

    /// Applies new settings, and resets the counts of rates.
    func change(_ settings: Settings) {
        self.settings.change { $0 = settings }
        rates.forget()
        connections.change(settings.limits)
    }

    /// The settings for browsers.
    /// - Parameter isBehindNodes: whether requests come from other nodes, which name the client's address.
    func browsers(isBehindNodes: Bool) -> BrowserSettings {
        settings.read {
            BrowserSettings(servesPages: $0.web != nil, proxies: $0.proxies, isBehindNodes: isBehindNodes)
        }
    }

    var now: Moment { clock.now }

    // MARK: Sessions

    /// Opens a session for a device that presents a key.
    /// - Parameter canSeal: whether the client can seal messages, which a sealed project requires.
    /// - Returns: the session and its secret, which the service does not store.
    func openSession(
        key: String, canSeal: Bool = false, from source: RequestSource = RequestSource()
    ) async throws -> (Session, secret: String) {
        try keepAddressRate(source)
        if let client = source.client {
            try keepRate(.pageSessions(client: client), limits.sessionsPerAddress, "address")
        }
        try requireForm(ofKey: key)
        guard let holder = try await store.keyHolder(hash: Secret.hash(key)) else { throw Problem.badKey }
        // Check the origin before the rate, so that other pages cannot use up the rate.
        try require(source, holder.origins)
        try keepRate(.sessions(key: holder.key), limits.sessionsPerKey, "key")
        guard holder.role == .device else { throw Problem.notDeviceKey }
        guard canSeal || holder.salt == nil else { throw Problem.sealingRequired }
        let secret = Secret.newSession()
        let session = try await store.openSession(
            SessionOrder(
                holder: holder, identifier: Secret.newIdentifier(), hash: Secret.hash(secret),
                lifetime: sessionLifetime(holder.origins), devicesPerKey: limits.devicesPerKey))
        return (session, secret)
    }

    /// The session of a request; the request counts towards the rate.
    func session(secret: String, from source: RequestSource = RequestSource()) async throws -> Session {
        try keepAddressRate(source)
        guard secret.utf8.count <= Secret.maximumCount else { throw Problem.badSession }
        let hash = Secret.hash(secret)
        // Check the rate before the look-up, so that the requests of a device beyond its limit never reach the
        // database.
        if let seconds = rates.wait(for: .requests(session: hash), now: now) {
            throw Problem.rateLimited(per: "device", retryAfterSeconds: seconds)
        }
        guard let session = try await store.session(hash: hash, now: now) else { throw Problem.badSession }
        try require(source, session.origins)
        try keepRate(.requests(session: hash), limits.requestsPerDevice, "device")
        // Each device has a share of its own, so that no device can spend the budget of all.
        if rates.take(from: .share(session: hash), limits.sharePerDevice, now: now) != nil {
            try keepRate(.allRequests(key: session.key), limits.requestsPerKey, "key")
        }
        return session
    }

    /// Refuses what cannot be a key, before the database is asked.
    private func requireForm(ofKey key: String) throws {
        if key.hasPrefix(Secret.sessionPrefix) { throw Problem.sessionForKey }
        if key.utf8.count > Secret.maximumCount { throw Problem.badKey }
    }

    /// The project of a request with an owner's key; the request counts towards the rates, as one of a device does.
    func ownedProject(key: String, from source: RequestSource = RequestSource()) async throws -> Int64 {
        try keepAddressRate(source)
        try requireForm(ofKey: key)
        let hash = Secret.hash(key)
        if let seconds = rates.wait(for: .requests(session: hash), now: now) {
            throw Problem.rateLimited(per: "key", retryAfterSeconds: seconds)
        }
        guard let holder = try await store.keyHolder(hash: hash) else { throw Problem.badKey }
        try require(source, holder.origins)
        try keepRate(.requests(session: hash), limits.requestsPerDevice, "key")
        guard holder.role == .owner else { throw Problem.notOwner }
        return holder.project
    }

    /// Checks that a key may be used from the request's source. A browser key may only be used in the pages that it
    /// allows. Other keys may not be used in pages, where everyone could read them.
    private func require(_ source: RequestSource, _ allowed: AllowedOrigins?) throws {
        if let allowed {
            try source.require(allowed)
        } else if source.isBrowser {
            throw Problem.notBrowserKey
        }
    }

    func sessionLifetime(_ origins: AllowedOrigins?) -> Duration {
        origins == nil ? limits.sessionLifetime : limits.browserSessionLifetime
    }

    /// The register of beacons.
    var registry: BeaconRegistry { BeaconRegistry(store, limits: limits) }

    func endSession(_ session: Session) async throws {
        tell(try await store.endSession(session))
    }

    // MARK: Time

    /// Begins to serve. The store may have data of an earlier run.
    func begin() async throws {
        try await store.begin(limits) { [hub] in hub.end($0) }
    }

    /// Ends expired leases and the sightings of silent devices, and notifies the devices concerned.
    ///
    /// It calls the store again while more is due: with one call each quarter of a second it could end at most 2,000
    /// items of a kind per second, too few for a large service.
    func sweep() async throws {
        for _ in 0..<Self.maximumSweepCount {
            let swept = try await store.sweep(limits)
            tell(swept.woken)
            guard swept.hasMore else { return self.swept.withLock { $0 = .now } }
        }
    }

    /// The time since a sweep had ended everything due.
    var sweepLag: Duration { .now - swept.withLock { $0 } }

    /// The maximum number of calls of the store in one sweep: 80 of 500 items, or 160,000 items of each kind per
    /// second. The heartbeat then wakes the event streams, and the next sweep continues.
    private static let maximumSweepCount = 80

    // MARK: Rates

    func keepRate(_ subject: RateSubject, _ limit: RateLimit, _ owner: String) throws {
        if let seconds = rates.take(from: subject, limit, now: now) {
            throw Problem.rateLimited(per: owner, retryAfterSeconds: seconds)
        }
    }

    /// Counts a request without a valid key or session towards the rate of its address. Valid requests are not counted,
    /// so clients behind one address cannot cause each other's valid requests to be refused. It does not query the
    /// database.
    /// - Returns: the problem if there were too many.
    func tooManyFailures(of client: String) -> Problem? {
        rates.take(from: .failures(client: client), limits.failuresPerAddress, now: now)
            .map { .tooManyFailures(retryAfterSeconds: $0) }
    }

    /// Counts a page's request towards the rate of its address, before any look-up.
    private func keepAddressRate(_ source: RequestSource) throws {
        guard let client = source.client else { return }
        try keepRate(.pageRequests(client: client), limits.requestsPerAddress, "address")
    }

    func tell(_ woken: Woken) {
        metrics.add(woken.found, to: .deliveries, "event=\"found\"")
        metrics.add(woken.lost, to: .deliveries, "event=\"lost\"")
        hub.wake(woken.devices)
    }
}
