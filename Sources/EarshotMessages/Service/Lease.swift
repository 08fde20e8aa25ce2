import EarshotCoding

/// What the service promised, and until when. Times are since the manager began.
///
///     renew at  now + min(expires / 2, rotate)        at least one second from now
///
/// At half its life a lease can fail to be renewed for as long again before it is over. Who says no token need not
/// ask for the next one.
struct Lease: Sendable, Equatable {
    /// Whatever the service says, it is not asked more often.
    static let shortestPause = Duration.seconds(1)
    /// The longest time to live there is. What is longer is nonsense.
    static let longest = Duration.seconds(86_400)

    let name: RegistrationName
    let renewsAt: Duration
    let expiresAt: Duration
    private let token: Payload
    private let tokenExpiresAt: Duration

    init(_ registration: Registration, saysToken: Bool, now: Duration) {
        name = registration.name
        token = registration.token
        let expires = min(max(registration.expiresIn, .zero), Self.longest)
        expiresAt = now + expires
        tokenExpiresAt = now + min(max(registration.tokenExpiresIn, .zero), Self.longest)
        let due = saysToken ? min(expires / 2, registration.rotateIn) : expires / 2
        renewsAt = now + max(due, Self.shortestPause)
    }

    /// Whether the service still has it, as far as we know.
    func isValid(now: Duration) -> Bool { now < expiresAt }

    /// What to say; nil where nobody would be told what it means any more.
    func token(now: Duration) -> Payload? { now < min(tokenExpiresAt, expiresAt) ? token : nil }
}
