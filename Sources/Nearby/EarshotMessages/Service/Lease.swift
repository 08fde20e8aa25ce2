import EarshotCoding

/// A registration at the service, with the times at which it expires. Times count from the manager's begin.
///
///     renew at  now + min(expires / 2, rotate)        at least one second from now
///
/// At half its life there is as much time left for failed renewals. A device that plays no token need not fetch the next one.
struct Lease: Sendable, Equatable {
    /// The minimum time between two renewals, whatever the service says.
    static let minimumPause = Duration.seconds(1)
    /// The maximum time to live. The service grants no longer one.
    static let maximumLifetime = Duration.seconds(86_400)

    let name: RegistrationName
    let renewsAt: Duration
    let expiresAt: Duration
    private let token: Payload
    private let tokenExpiresAt: Duration

    init(_ registration: Registration, playsToken: Bool, now: Duration) {
        name = registration.name
        token = registration.token
        let expires = min(max(registration.expiresIn, .zero), Self.maximumLifetime)
        expiresAt = now + expires
        tokenExpiresAt = now + min(max(registration.tokenExpiresIn, .zero), Self.maximumLifetime)
        let due = playsToken ? min(expires / 2, registration.rotateIn) : expires / 2
        renewsAt = now + max(due, Self.minimumPause)
    }

    /// Whether the service still has the registration, if it kept its promise.
    func isValid(now: Duration) -> Bool { now < expiresAt }

    /// The token to play; nil after its end, because the service would no longer resolve it.
    func token(now: Duration) -> Payload? { now < min(tokenExpiresAt, expiresAt) ? token : nil }
}
