import EarshotCoding

/// A registration at the service, with the times at which it expires. Times count from the manager's start.
///
///     renew at  now + min(expires / 2, rotate)        at least one second from now
///
/// A renewal at half of its life leaves as much time for failed attempts. A device that plays no token need not fetch
/// the next one.
///
/// The next token is played from the next multiple of `rotationStep` of the world's clock on. Devices in a room rotate
/// together, so the time does not link a new token to an old one. The old token is played until then.
struct Lease: Sendable, Equatable {
    /// The minimum time between two renewals, even if the service asks for a shorter one.
    static let minimumPause = Duration.seconds(1)
    /// The maximum time to live that the service grants.
    static let maximumLifetime = Duration.seconds(86_400)
    /// The time from one moment at which devices change their tokens to the next: half of the time between two
    /// renewals, so about half of the devices change at each.
    static let rotationStep = Duration.seconds(30)
    /// A token is no longer played this long before its end, because devices report it only after they heard it.
    static let reportTime = Duration.seconds(15)

    let name: RegistrationName
    let renewsAt: Duration
    let expiresAt: Duration
    private let token: Payload
    private let tokenExpiresAt: Duration
    /// The token that is played until `playsAt`.
    private let former: Payload?
    /// When its own token is played.
    let playsAt: Duration

    /// - Parameters:
    ///   - former: the lease before this one, whose token is being played.
    ///   - worldTime: the time of the world's clock, with the same origin on all devices; nil for a token that is
    ///     played at once.
    init(
        _ registration: Registration, playsToken: Bool, now: Duration, after former: Lease? = nil,
        worldTime: Duration? = nil
    ) {
        name = registration.name
        token = registration.token
        let expires = min(max(registration.expiresIn, .zero), Self.maximumLifetime)
        expiresAt = now + expires
        tokenExpiresAt = now + min(max(registration.tokenExpiresIn, .zero), Self.maximumLifetime)
        let due = playsToken ? min(expires / 2, registration.rotateIn) : expires / 2
        renewsAt = now + max(due, Self.minimumPause)
        let steps = worldTime.map { $0 / Self.rotationStep } ?? 0
        let wait = Self.rotationStep / .milliseconds(1) * (steps.rounded(.up) - steps)
        let playsAt = now + .milliseconds(Int(wait.rounded()))
        if playsToken, let former, former.name == name, former.playsAt <= now,
            former.token != token, playsAt < renewsAt,
            playsAt + Self.reportTime <= min(former.tokenExpiresAt, former.expiresAt)
        {
            (self.former, self.playsAt) = (former.token, playsAt)
        } else {
            (self.former, self.playsAt) = (nil, now)
        }
    }

    /// Whether the service should still have the registration.
    func isValid(now: Duration) -> Bool { now < expiresAt }

    /// The token to play; nil after its end, because the service would no longer resolve it.
    func token(now: Duration) -> Payload? {
        if let former, now < playsAt { return former }
        return now < min(tokenExpiresAt, expiresAt) ? token : nil
    }
}
