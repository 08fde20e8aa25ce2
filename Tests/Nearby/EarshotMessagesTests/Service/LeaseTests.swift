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
        // The token of an expired registration is not played either.
        #expect(self.lease(expires: .seconds(10)).token(now: .seconds(1_010)) == nil)
    }

    private func lease(
        _ number: UInt8, now: Duration, after former: Lease?, worldTime: Duration,
        tokenExpires: Duration = .seconds(120)
    ) throws -> Lease {
        Lease(
            Registration(
                name: RegistrationName(.publication, "p"), expiresIn: .seconds(300),
                token: try Payload([UInt8](repeating: number, count: 8)), tokenExpiresIn: tokenExpires,
                rotateIn: tokenExpires / 2),
            playsToken: true, now: now, after: former, worldTime: worldTime)
    }

    @Test func theNextTokenIsPlayedFromTheMomentInWhichAllChange() throws {
        let first = try lease(1, now: .seconds(1_000), after: nil, worldTime: .seconds(7))
        #expect(first.playsAt == .seconds(1_000) && first.token(now: .seconds(1_000))?.bytes.first == 1)
        // 67 s after the start of the service's clock; the next moment is at 90 s.
        let second = try lease(2, now: .seconds(1_060), after: first, worldTime: .seconds(67))
        #expect(second.playsAt == .seconds(1_083))
        #expect(second.token(now: .seconds(1_082.9))?.bytes.first == 1)
        #expect(second.token(now: .seconds(1_083))?.bytes.first == 2)
        // A renewal that brings no other token changes nothing.
        let same = try lease(2, now: .seconds(1_090), after: second, worldTime: .seconds(97))
        #expect(same.playsAt == .seconds(1_090) && same.token(now: .seconds(1_090))?.bytes.first == 2)
    }

    @Test func aTokenThatEndsSoonIsNotPlayedLonger() throws {
        let first = try lease(1, now: .seconds(1_000), after: nil, worldTime: .seconds(7), tokenExpires: .seconds(40))
        // The service forgets the token at 1,040 s, and devices report it up to 15 s
        // later; the moment is at 1,027 s, after that.
        let second = try lease(
            2, now: .seconds(1_020), after: first, worldTime: .seconds(33), tokenExpires: .seconds(40))
        #expect(second.playsAt == .seconds(1_020) && second.token(now: .seconds(1_020))?.bytes.first == 2)
    }

    @Test(arguments: [Duration.zero, .seconds(-10), .seconds(Int64.max)], [true, false])
    func invalidTimesCauseNoBusyLoop(time: Duration, playsToken: Bool) {
        let lease = lease(expires: time, tokenExpires: time, rotates: time, playsToken: playsToken)
        #expect(lease.renewsAt >= .seconds(1_001) && lease.renewsAt <= .seconds(1_000 + 43_200))
        #expect(lease.expiresAt >= .seconds(1_000) && lease.expiresAt <= .seconds(1_000 + 86_400))
    }
}
