import EarshotCoding
import EarshotDiscovery
import EarshotMessages
import Foundation
import MessagesTestSupport
import TestSupport
import Testing

/// Managers in one room, in memory, with one service.
@Suite(.apart) struct ManagerTests {
    @Test func aPublishedMessageIsFoundAndLost() async throws {
        let (air, service) = (Air(), FakeService())
        let (one, other) = (Device(in: air, service), Device(in: air, service))
        let subscription = try other.manager.subscribe(type: "greeting")
        let events = Collected(subscription)
        let message = Message("hello", type: "greeting")
        let publication = try one.manager.publish(message)
        #expect(await eventually { events.found.count == 1 })
        #expect(events.found.first?.message == message)
        #expect(events.found.first?.isAuthenticated == true)
        #expect(await eventually { publication.status == .active && subscription.status == .active })
        publication.stop()
        #expect(await eventually { events.lost.count == 1 })
        #expect(events.lost == events.found)
        #expect(publication.status == .inactive)
        #expect(await eventually { one.medium.mode.isEmpty })
    }

    @Test func otherTypesNamespacesAndProjectsAreNotFound() async throws {
        let (air, service) = (Air(), FakeService(keys: ["key": "project", "other": "another"]))
        let one = Device(in: air, service)
        let sameKey = Device(in: air, service)
        let otherKey = Device(in: air, service, key: "other")
        let wanted = Collected(try sameKey.manager.subscribe(type: "b"))
        let otherType = Collected(try sameKey.manager.subscribe(type: "c"))
        let otherSpace = Collected(try sameKey.manager.subscribe(namespace: "n", type: "b"))
        let stranger = Collected(try otherKey.manager.subscribe())
        let own = Collected(try one.manager.subscribe())
        let publications = [
            try one.manager.publish(Message("1", type: "a")), try one.manager.publish(Message("2", type: "b")),
        ]
        #expect(await eventually { wanted.found.count == 1 })
        await aWhile()
        #expect(wanted.found.map(\.message.text) == ["2"])
        #expect(otherType.all.isEmpty && otherSpace.all.isEmpty && stranger.all.isEmpty && own.all.isEmpty)
        #expect(await eventually { publications.allSatisfy { $0.status == .active } })
    }

    @Test func aDeviceThatLeavesIsLostAndFoundAgain() async throws {
        let (air, service) = (Air(), FakeService())
        let (one, other) = (Device(in: air, service), Device(in: air, service))
        let events = Collected(try other.manager.subscribe())
        let publication = try one.manager.publish(Message("hello"))
        #expect(await eventually { events.found.count == 1 })
        one.medium.setAway(true)
        #expect(await eventually { events.lost.count == 1 })
        one.medium.setAway(false)
        #expect(await eventually { events.found.count == 2 })
        #expect(await eventually { publication.status == .active })
    }

    @Test func reportsSayWhenATokenWasHeard() async throws {
        let (air, service) = (Air(), FakeService())
        let (one, other) = (Device(in: air, service), Device(in: air, service))
        let events = Collected(try other.manager.subscribe())
        let publication = try one.manager.publish(Message("hello"))
        #expect(await eventually { events.found.count == 1 })
        let age = try #require(service.ages.first)
        #expect(age >= .zero && age < .seconds(30))
        #expect(await eventually { publication.status == .active })
    }

    @Test func aPublisherThatOnlyScansIsFoundBySubscribers() async throws {
        let (air, service) = (Air(), FakeService())
        let (one, other) = (Device(in: air, service), Device(in: air, service))
        var strategy = DiscoveryStrategy()
        strategy.mode = .scan
        let publication = try one.manager.publish(Message("hello"), strategy: strategy)
        let events = Collected(try other.manager.subscribe())
        #expect(await eventually { events.found.count == 1 })
        #expect(await eventually { publication.status == .active })
        #expect(one.medium.modes == [.scan], "no loudspeaker was opened")
        #expect(one.medium.tokens.isEmpty)
    }

    @Test func theTokenOfAnEndedPublicationIsNotPlayed() async throws {
        let (air, service) = (Air(), FakeService())
        let device = Device(in: air, service)
        let first = try device.manager.publish(Message("1"))
        #expect(await eventually { first.status == .active && device.medium.mode == .both })
        // The second publication must wait for its token.
        service.set(.slow(.seconds(5)))
        let second = try device.manager.publish(Message("2"))
        #expect(await eventually { service.requests.count { $0 == "register publication" } == 2 })
        first.stop()
        #expect(await eventually { device.medium.mode == .scan })
        #expect(second.status == .starting)
        #expect(await eventually { second.status == .active && device.medium.mode == .both })
        #expect(device.medium.tokens.count == 2)
    }

    @Test func directMessagesNeedNoService() async throws {
        let (air, service) = (Air(), FakeService())
        service.set(.down)
        let (one, other) = (Device(in: air, service), Device(in: air, service))
        let publication = try one.manager.publishDirectly(Data("hello".utf8))
        let events = Collected(try other.manager.subscribe())
        let typed = Collected(try other.manager.subscribe(type: "greeting"))
        let spaced = Collected(try other.manager.subscribe(namespace: "n"))
        #expect(await eventually { events.found.count == 1 })
        let late = Collected(try other.manager.subscribe())
        #expect(await eventually { late.found.count == 1 })
        #expect(await eventually { publication.status == .active })
        #expect(events.found.first?.message == Message("hello"))
        #expect(events.found.first?.isAuthenticated == false)
        #expect(!one.log.all.contains { $0.contains("session") } && one.medium.modes == [.broadcast])
        publication.stop()
        #expect(await eventually { events.lost.count == 1 && late.lost.count == 1 })
        #expect(events.lost == events.found)
        #expect(typed.all.isEmpty && spaced.all.isEmpty)
    }

    @Test func directSubscriptionsNeedNoService() async throws {
        let (air, service) = (Air(), FakeService())
        let (one, other) = (Device(in: air, service), Device(in: air, service))
        let subscription = try other.manager.subscribeDirectly()
        let events = Collected(subscription)
        let message = try one.manager.publish(Message("for a key"))
        let direct = try one.manager.publishDirectly(Data("for all".utf8))
        #expect(await eventually { message.status == .active && events.found.count == 1 })
        #expect(events.all.count == 1 && events.found.first?.message == Message("for all"))
        #expect(!other.log.all.contains { $0.contains("session") } && other.medium.modes == [.scan])
        direct.stop()
        #expect(await eventually { events.lost == events.found })
        var silent = DiscoveryStrategy()
        silent.mode = .broadcast
        let deaf = try other.manager.subscribeDirectly(strategy: silent)
        #expect(await eventually { subscription.status == .active })
        #expect(deaf.status == .inactive)
    }

    @Test func aDirectMessageOfEightBytesIsNoToken() async throws {
        let (air, service) = (Air(), FakeService())
        let (one, other) = (Device(in: air, service), Device(in: air, service))
        let events = Collected(try other.manager.subscribe())
        let publication = try one.manager.publishDirectly(Data("12345678".utf8))
        #expect(await eventually { events.found.count == 1 })
        #expect(events.found.first?.message.text == "12345678")
        #expect(await eventually { publication.status == .active })
    }

    @Test func aSubscriptionEndsWithItsHandle() async throws {
        let (air, service) = (Air(), FakeService())
        let device = Device(in: air, service)
        var subscription: Subscription? = try device.manager.subscribe()
        #expect(await eventually { subscription?.status == .active })
        let statuses = try Collected(#require(subscription).statuses)
        #expect(service.things.count == 1)
        subscription = nil
        #expect(await eventually { service.things.isEmpty && device.medium.mode.isEmpty })
        #expect(await eventually { statuses.isOver })
        #expect(statuses.all == [.active, .inactive])
    }

    @Test func aPublicationEndsWithItsHandle() async throws {
        let (air, service) = (Air(), FakeService())
        let device = Device(in: air, service)
        var publication: Publication? = try device.manager.publish(Message("hello"))
        let statuses = try Collected(#require(publication).statuses)
        #expect(await eventually { publication?.status == .active })
        publication = nil
        #expect(await eventually { service.things.isEmpty && device.medium.mode.isEmpty })
        #expect(await eventually { statuses.isOver })
        #expect(statuses.all == [.inactive, .starting, .active, .inactive])
    }

    @Test func aLoopKeepsTheSubscriptionThatItReads() async throws {
        let (air, service) = (Air(), FakeService())
        let (one, other) = (Device(in: air, service), Device(in: air, service))
        let publication = try one.manager.publish(Message("hello"))
        for await event in try other.manager.subscribe() {
            guard case .found = event else { continue }
            break
        }
        #expect(await eventually { publication.status == .active })
        #expect(await eventually { service.things.count == 1 })
    }

    @Test func aCancelledReaderEnds() async throws {
        let (air, service) = (Air(), FakeService())
        let device = Device(in: air, service)
        let subscription = try device.manager.subscribe()
        let first = Collected(subscription)
        await aWhile()
        first.stop()
        #expect(await eventually { first.isOver })
        // After that, another task may read.
        let second = Collected(subscription)
        let publication = try Device(in: air, service).manager.publish(Message("hello"))
        // The manager is released already, and with it the publication.
        #expect(publication.status == .inactive)
        await aWhile()
        #expect(second.all.count <= 2)
        subscription.stop()
        #expect(await eventually { second.isOver })
    }

    @Test func everythingEndsWithTheManager() async throws {
        let (air, service) = (Air(), FakeService())
        var device: Device? = Device(in: air, service)
        let medium = device?.medium
        let publication = try #require(try device?.manager.publish(Message("hello")))
        let subscription = try #require(try device?.manager.subscribe())
        let problems = try Collected(#require(device).manager.problems)
        let events = Collected(subscription)
        #expect(await eventually { publication.status == .active && subscription.status == .active })
        #expect(medium?.mode == .both)
        device = nil
        #expect(await eventually { publication.status == .inactive && subscription.status == .inactive })
        #expect(await eventually { events.isOver && problems.isOver })
        #expect(await eventually { service.sessionCount == 0 && service.things.isEmpty })
        #expect(await eventually { medium?.mode.isEmpty == true })
    }

    /// Even if the caller was cancelled, as in programs that end.
    @Test(arguments: [false, true])
    func stopWaitsUntilTheServiceKnows(isCancelled: Bool) async throws {
        let (air, service) = (Air(), FakeService())
        let device = Device(in: air, service)
        let publication = try device.manager.publish(Message("hello"))
        #expect(await eventually { publication.status == .active })
        let stopping = Task {
            if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
            await device.manager.stop(within: .seconds(30))
        }
        await stopping.value
        #expect(service.things.isEmpty && device.medium.mode.isEmpty)
        #expect(publication.status == .inactive)
        #expect(throws: MessageError.stopped) { try device.manager.publish(Message("again")) }
    }

    @Test func aHundredKibibytesArriveWhole() async throws {
        let (air, service) = (Air(), FakeService())
        let (one, other) = (Device(in: air, service), Device(in: air, service))
        let content = Data((0..<Message.maximumContentCount).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let events = Collected(try other.manager.subscribe())
        let publication = try one.manager.publish(Message(content: content))
        #expect(await eventually { events.found.count == 1 })
        #expect(events.found.first?.message.content == content)
        #expect(await eventually { publication.status == .active })
    }
}
