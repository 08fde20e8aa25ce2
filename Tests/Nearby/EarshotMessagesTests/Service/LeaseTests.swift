import EarshotCoding
import Testing

@testable import EarshotMessages

struct LeaseTests {
    private let token: Payload

    init() throws { token = try Payload([1, 2, 3, 4, 5, 6, 7, 8]) }

    private func lease(
        expires: Duration, tokenExpires: Duration = .seconds(120), rotates: Duration = .seconds(60),
        playsToken: Bool = true, now: Duration = .seconds(1_000)
    ) -> Lease {
        Lease(
            Registration(
                name: RegistrationName(.publication, "p"), expiresIn: expires, token: token,
                tokenExpiresIn: tokenExpires, rotateIn: rotates),
            playsToken: playsToken, now: now)
    }

    @Test func aLeaseIsRenewedWhenItsTokenRotates() {
        #expect(lease(expires: .seconds(300)).renewsAt == .seconds(1_060))
    }

    @Test func aLeaseIsRenewedAtHalfItsLifeIfThatIsEarlier() {
        #expect(lease(expires: .seconds(50)).renewsAt == .seconds(1_025))
    }

    @Test func aDeviceThatPlaysNoTokenDoesNotFetchTheNext() {
        #expect(lease(expires: .seconds(300), playsToken: false).renewsAt == .seconds(1_150))
    }

    @Test func aLeaseEndsWhenItExpires() {
        let lease = lease(expires: .seconds(300))
        #expect(lease.isValid(now: .milliseconds(1_299_999)) && !lease.isValid(now: .seconds(1_300)))
    }

    @Test func anExpiredTokenIsNotPlayed() {
        let lease = lease(expires: .seconds(300))
        #expect(lease.token(now: .milliseconds(1_119_999)) == token && lease.token(now: .seconds(1_120)) == nil)
        // Nor the token of an expired registration.
        #expect(self.lease(expires: .seconds(10)).token(now: .seconds(1_010)) == nil)
    }

    @Test(arguments: [Duration.zero, .seconds(-10), .seconds(Int64.max)], [true, false])
    func invalidTimesCauseNoBusyLoop(time: Duration, playsToken: Bool) {
        let lease = lease(expires: time, tokenExpires: time, rotates: time, playsToken: playsToken)
        #expect(lease.renewsAt >= .seconds(1_001) && lease.renewsAt <= .seconds(1_000 + 43_200))
        #expect(lease.expiresAt >= .seconds(1_000) && lease.expiresAt <= .seconds(1_000 + 86_400))
    }
}
