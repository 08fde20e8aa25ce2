import EarshotCoding
import EarshotDiscovery
import Foundation
import MessagesTestSupport
import TestSupport
import Testing

@testable import EarshotMessages

/// The service fails in every way, and recovers.
@Suite(.apart) struct RecoveryTests {
    /// A publisher and a subscriber that have found each other.
    private struct Pair {
        let air = Air()
        let service: FakeService
        let publisher: Device
        let subscriber: Device
        let publication: Publication
        let subscription: Subscription
        let events: Collected<MessageEvent>
        let problems: Collected<ManagerProblem>

        init(
            _ service: FakeService = FakeService(), _ change: (inout MessageManager.Configuration) -> Void = { _ in }
        ) async throws {
            self.service = service
            publisher = Device(in: air, service, change)
            subscriber = Device(in: air, service, change)
            publication = try publisher.manager.publish(Message("hello"))
            subscription = try subscriber.manager.subscribe()
            events = Collected(subscription)
            problems = Collected(subscriber.manager.problems)
            let events = events
            #expect(await eventually { events.found.count == 1 })
        }

        /// Checks that another message is found, and that no event was repeated or invented.
        func works(found: Int = 1, lost: Int = 0) async throws {
            let next = try publisher.manager.publish(Message("next"))
            #expect(await eventually { events.found.last?.message.text == "next" })
            #expect(await eventually { next.status == .active })
            #expect(events.found.count == found + 1 && events.lost.count == lost)
            next.stop()
            #expect(await eventually { events.lost.count == lost + 1 })
        }
    }

    @Test(arguments: [
        FakeService.Mood.down, .invalid, .refusing(status: 503, code: "overloaded", retryAfter: nil),
        .refusing(status: 429, code: "rate_limited", retryAfter: .milliseconds(50)),
        .refusing(status: 500, code: "internal_error", retryAfter: nil),
        .refusing(status: 401, code: "bad_key", retryAfter: nil), .mute,
    ])
    func requestsDuringAFailureAreDoneLater(mood: FakeService.Mood) async throws {
        let (air, service) = (Air(), FakeService())
        service.set(mood)
        let (publisher, subscriber) = (Device(in: air, service), Device(in: air, service))
        let problems = Collected(publisher.manager.problems)
        let publication = try publisher.manager.publish(Message("hello"))
        let events = Collected(try subscriber.manager.subscribe())
        #expect(await eventually { problems.all.count == 1 })
        #expect(problems.all.first?.isSolved == false && problems.all.first?.detail.isEmpty == false)
        await aWhile()
        #expect(publication.status == .starting && events.all.isEmpty)
        service.set(.well)
        #expect(await eventually { events.found.count == 1 })
        #expect(await eventually { problems.current.isEmpty && publication.status == .active })
        // One publication and one subscription: nothing was registered twice.
        #expect(service.things.count == 2)
    }

    @Test func aServiceThatIsDownIsAskedWithPauses() async throws {
        let service = FakeService()
        service.set(.down)
        let device = Device(in: Air(), service)
        let operations = try (0..<10).map { try device.manager.publish(Message("\($0)")) }
        #expect(await eventually { service.requests.count >= 3 })
        let (begin, count) = (ContinuousClock.now, service.requests.count)
        try await Task.sleep(for: .seconds(1))
        #expect(await eventually { service.requests.count > count })
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        // One request serves all ten operations. The third pause is at least 40 ms, and the following ones 50 ms.
        #expect(Double(service.requests.count - count) <= 2 + seconds / 0.05)
        #expect(operations.allSatisfy { $0.status == .starting })
    }

    @Test(arguments: [false, true])
    func aRestartOfTheServiceCausesNoEvents(isForgetful: Bool) async throws {
        let pair = try await Pair()
        for _ in 0..<3 {
            pair.service.set(.down)
            await aWhile()
            pair.service.restart(forgetting: isForgetful)
            pair.service.set(.well)
            await aWhile()
        }
        #expect(await eventually { pair.service.things.count == 2 })
        try await pair.works()
        #expect(pair.problems.current.isEmpty)
        #expect(await eventually { pair.publication.status == .active && pair.subscription.status == .active })
        // A lost message is still reported.
        pair.publication.stop()
        #expect(await eventually { pair.events.lost.count == 2 })
        #expect(pair.events.lost.last == pair.events.found.first)
    }

    @Test func aMessageThatDoesNotComeAgainAfterAForgetfulRestartIsLost() async throws {
        let pair = try await Pair()
        pair.service.set(.down)
        pair.publisher.medium.setAway(true)
        pair.service.restart(forgetting: true)
        pair.service.set(.well)
        #expect(await eventually { pair.events.lost.count == 1 })
        #expect(pair.events.lost == pair.events.found)
    }

    @Test func aMessageWithdrawnDuringAnOutageIsLost() async throws {
        let pair = try await Pair()
        pair.service.set(.down)
        pair.publication.stop()
        await aWhile()
        pair.service.set(.well)
        #expect(await eventually { pair.events.lost.count == 1 })
    }

    @Test func aLongOutageLosesNoDeviceThatIsStillNear() async throws {
        // Reports expire before the outage ends, so the service thinks that all devices have left.
        let pair = try await Pair(FakeService(sightingLifetime: .seconds(2))) { configuration in
            configuration.internals.pace.sightingRenewal = .milliseconds(200)
            configuration.internals.pace.outage = .milliseconds(200)
        }
        pair.service.set(.down)
        try await Task.sleep(for: .milliseconds(2_500))
        // The service reports losses before the clients can report the tokens that they hear.
        pair.service.set(.deaf)
        pair.service.sweep()
        let count = pair.service.requests.count { $0 == "events" }
        #expect(await eventually { pair.service.requests.count { $0 == "events" } > count })
        await aWhile()
        pair.service.set(.well)
        await aWhile()
        await aWhile()
        pair.service.sweep()
        #expect(pair.events.all.count == 1, "neither lost nor found again")
    }

    @Test func tokensRotateWithoutAGap() async throws {
        let pair = try await Pair(FakeService(tokenLifetime: .seconds(10))) { configuration in
            configuration.internals.pace.sightingRenewal = .seconds(1)
        }
        // Each token is renewed after 5 s, and a busy machine gets the same time again.
        #expect(await eventually { Set(pair.publisher.medium.tokens).count >= 4 })
        pair.service.sweep()
        #expect(pair.events.all.count == 1)
        #expect(pair.service.requests.contains("renew"))
    }

    @Test func aRegistrationThatTheServiceEndedIsRepeated() async throws {
        let pair = try await Pair(FakeService(tokenLifetime: .seconds(2)))
        pair.service.drop(.publication)
        pair.service.sweep()
        #expect(await eventually { pair.events.lost.count == 1 })
        #expect(await eventually { pair.events.found.count == 2 })
        #expect(await eventually { pair.publication.status == .active })
    }

    @Test func aServiceThatAcceptsNoSessionIsAskedWithPauses() async throws {
        let service = FakeService()
        let device = Device(in: Air(), service)
        let publication = try device.manager.publish(Message("hello"))
        let forgetting = Task {
            while !Task.isCancelled {
                service.restart(forgetting: true)
                await Task.yield()
            }
        }
        try await Task.sleep(for: .seconds(1))
        forgetting.cancel()
        await forgetting.value
        // A session that works for a while resets the pauses to 10 ms or more.
        #expect(service.requests.count { $0 == "open" } <= 120)
        service.restart(forgetting: true)
        #expect(await eventually { publication.status == .active || !service.things.isEmpty })
    }

    @Test func anOperationRefusedForGoodIsInactive() async throws {
        let service = FakeService()
        let device = Device(in: Air(), service)
        let problems = Collected(device.manager.problems)
        let good = try device.manager.subscribe()
        #expect(await eventually { good.status == .active })
        service.set(.refusing(status: 422, code: "out_of_range", retryAfter: nil))
        var bad: Publication? = try device.manager.publish(Message("hello"))
        #expect(await eventually { problems.current == [.serviceRefusing(code: "out_of_range")] })
        #expect(await eventually { bad?.status == .inactive })
        service.set(.well)
        await aWhile()
        #expect(bad?.status == .inactive && problems.current == [.serviceRefusing(code: "out_of_range")])
        bad = nil
        #expect(await eventually { problems.current.isEmpty })
        #expect(await eventually { good.status == .active })
    }

    @Test func anUnreachableServiceIsNotSolvedByTheEndOfTheOperation() async throws {
        let service = FakeService()
        service.set(.down)
        let device = Device(in: Air(), service)
        let problems = Collected(device.manager.problems)
        let publication = try device.manager.publish(Message("hello"))
        #expect(await eventually { problems.current == [.serviceUnreachable] })
        publication.stop()
        await aWhile()
        #expect(problems.all.count == 1, "the manager has not reached the service again")
        // A later operation sees another problem, and then none.
        service.set(.refusing(status: 503, code: "overloaded", retryAfter: nil))
        let next = try device.manager.publish(Message("next"))
        #expect(await eventually { problems.current == [.serviceRefusing(code: "overloaded")] })
        service.set(.well)
        #expect(await eventually { problems.current.isEmpty && next.status == .active })
    }

    @Test func aSlowServiceWorks() async throws {
        let (air, service) = (Air(), FakeService())
        service.set(.slow(.milliseconds(300)))
        let (publisher, subscriber) = (Device(in: air, service), Device(in: air, service))
        let publication = try publisher.manager.publish(Message("hello"))
        let events = Collected(try subscriber.manager.subscribe())
        #expect(await eventually { events.found.count == 1 })
        #expect(await eventually { publication.status == .active })
        // A publication that ends during its registration is withdrawn.
        let next = try publisher.manager.publish(Message("next"))
        #expect(await eventually { service.requests.count { $0 == "register publication" } == 2 })
        next.stop()
        #expect(await eventually { service.things.count == 2 })
        #expect(await eventually { service.requests.contains("withdraw") })
    }

    @Test func aLostAnswerRegistersNothingTwice() async throws {
        let (air, service) = (Air(), FakeService())
        let device = Device(in: air, service)
        let subscription = try device.manager.subscribe()
        #expect(await eventually { subscription.status == .active })
        service.set(.mute)
        let publication = try device.manager.publish(Message("hello"))
        #expect(await eventually { service.requests.count { $0 == "register publication" } >= 3 })
        service.set(.well)
        #expect(await eventually { publication.status == .active })
        #expect(service.things.count == 2)
    }

    @Test func theLogHoldsNoSecret() async throws {
        let pair = try await Pair(FakeService(keys: ["key": "the project's name"]))
        let secret = try pair.publisher.manager.publish(Message("a secret content", type: "a secret type"))
        let direct = try pair.publisher.manager.publishDirectly(Data("a secret sound".utf8))
        #expect(await eventually { secret.status == .active && direct.status == .active })
        #expect(await eventually { pair.events.found.count == 3 })
        let secrets = pair.service.secrets + ["a secret", Data("a secret".utf8).base64EncodedString(), "hello"]
        for mood in [FakeService.Mood.invalid, .down, .well] {
            pair.service.set(mood)
            await aWhile()
        }
        pair.service.restart(forgetting: true)
        await aWhile()
        await pair.publisher.manager.stop()
        let lines = pair.publisher.log.all + pair.subscriber.log.all
        #expect(lines.count > 20)
        for text in secrets + pair.service.secrets where text != "key" {
            #expect(!lines.contains { $0.localizedCaseInsensitiveContains(text) }, "\(text)")
        }
        // "key" is also a word of a message.
        #expect(!lines.contains { $0.contains("key") && !$0.contains("the key is") && !$0.contains("docs") })
    }
}
