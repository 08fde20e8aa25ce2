import EarshotDiscovery
import EarshotMessages
import Foundation
import MessagesTestSupport
import NearbyMessages
import Synchronization
import TestSupport
import Testing

/// Snippets 01 to 05: managers, publications, subscriptions.
@MainActor @Suite(.apart) struct PublishingSnippetTests {
    @Test func `01 a manager with a key does nothing by itself`() async throws {
        let service = FakeServiceUnderTest()
        let device = try GNSDevice(in: Air(), service)
        let manager: GNSMessageManager = device.run { Snippets.createManager() }
        await aWhile()
        #expect(service.fake.requests == [] && device.medium.modes == [])
        let publication = device.run { Snippets.publish(manager, name: "Ann") }
        #expect(await eventually { service.fake.things.count == 1 }, "the key is that of the snippet")
        withExtendedLifetime(publication) {}
    }

    @Test(arguments: ServiceKind.available)
    func `02 and 03 a message is found, and lost when its publication is released`(kind: ServiceKind) async throws {
        let (air, service) = (Air(), try kind.start())
        let (ann, bob) = (try GNSDevice(in: air, service), try GNSDevice(in: air, service))
        let annsManager: GNSMessageManager = ann.run { GNSMessageManager(apiKey: service.key) }
        let bobsManager: GNSMessageManager = bob.run { GNSMessageManager(apiKey: service.key) }
        let (found, lost) = (Calls<GNSMessage?>(), Calls<GNSMessage?>())
        let subscription = bob.run {
            FilledSnippets.subscribe(bobsManager, found: { found.add($0) }, lost: { lost.add($0) })
        }
        var publication = ann.run { Snippets.publish(annsManager, name: "Ann") }
        #expect(await eventually { found.count == 1 })
        #expect(found.texts == ["Ann"] && lost.count == 0)
        #expect(publication != nil)
        publication = nil
        #expect(await eventually { lost.count == 1 })
        // The lost message is the same object, so that an app can remove it from its list by identity.
        #expect(try #require(lost.all.first ?? nil) === found.all.first ?? nil && found.count == 1)
        withExtendedLifetime((subscription, annsManager, bobsManager)) {}
    }

    @Test(arguments: ServiceKind.available)
    func `03 no handler is called after the release of its subscription`(kind: ServiceKind) async throws {
        let (air, service) = (Air(), try kind.start())
        let (ann, bob) = (try GNSDevice(in: air, service), try GNSDevice(in: air, service))
        let annsManager: GNSMessageManager = ann.run { GNSMessageManager(apiKey: service.key) }
        let bobsManager: GNSMessageManager = bob.run { GNSMessageManager(apiKey: service.key) }
        let calls = Calls<GNSMessage?>()
        var subscription = bob.run {
            FilledSnippets.subscribe(bobsManager, found: { calls.add($0) }, lost: { calls.add($0) })
        }
        var publication = ann.run { Snippets.publish(annsManager, name: "Ann") }
        #expect(await eventually { calls.count == 1 })
        #expect(subscription != nil && publication != nil)
        subscription = nil
        publication = nil
        #expect(await eventually { bob.medium.mode.isEmpty && ann.medium.mode.isEmpty })
        publication = ann.run { Snippets.publish(annsManager, name: "Eve") }
        await aWhile()
        #expect(calls.count == 1)
        withExtendedLifetime((annsManager, bobsManager)) {}
    }

    @Test func `03 a queued call is dropped with its subscription`() async throws {
        let (air, service) = (Air(), FakeServiceUnderTest())
        let (ann, bob) = (try GNSDevice(in: air, service), try GNSDevice(in: air, service))
        let managers: [GNSMessageManager] = [ann, bob].map { $0.run { GNSMessageManager(apiKey: service.key) } }
        let calls = Calls<GNSMessage?>()
        var subscription = bob.run {
            FilledSnippets.subscribe(managers[1], found: { calls.add($0) }, lost: { calls.add($0) })
        }
        let publication = ann.run { Snippets.publish(managers[0], name: "Ann") }
        // The main queue is busy until the message has arrived. The app then releases the subscription before the handler
        // runs.
        #expect(subscription != nil)
        for _ in 0..<2_000 where !service.fake.hasFound { usleep(10_000) }
        usleep(200_000)
        subscription = nil
        await aWhile()
        #expect(service.fake.hasFound && calls.count == 0)
        withExtendedLifetime((publication, managers)) {}
    }

    @Test(arguments: ServiceKind.available)
    func `everything ends with the manager`(kind: ServiceKind) async throws {
        let (air, service) = (Air(), try kind.start())
        let (ann, bob) = (try GNSDevice(in: air, service), try GNSDevice(in: air, service))
        var annsManager: GNSMessageManager? = ann.run { GNSMessageManager(apiKey: service.key) }
        var bobsManager: GNSMessageManager? = bob.run { GNSMessageManager(apiKey: service.key) }
        let (found, lost, statuses) = (Calls<GNSMessage?>(), Calls<GNSMessage?>(), Calls<GNSOperationStatus>())
        let subscription = bob.run {
            bobsManager?.subscription(messageFoundHandler: { found.add($0) }, messageLostHandler: { lost.add($0) })
        }
        let publication = ann.run {
            annsManager?.publication(with: GNSMessage(content: Data("Ann".utf8))) { params in
                params?.statusHandler = { statuses.add($0) }
            }
        }
        #expect(await eventually { found.count == 1 })
        #expect(await eventually { statuses.all.last == .active })
        annsManager = nil
        #expect(await eventually { lost.count == 1 && statuses.all.last == .inactive })
        #expect(await eventually { ann.medium.mode.isEmpty })
        bobsManager = nil
        #expect(await eventually { bob.medium.mode.isEmpty })
        withExtendedLifetime((publication, subscription)) {}
    }

    @Test(arguments: ServiceKind.available)
    func `a device that leaves is lost, and one of another project is never found`(kind: ServiceKind) async throws {
        let (air, service) = (Air(), try kind.start())
        let (ann, bob, eve) = (
            try GNSDevice(in: air, service), try GNSDevice(in: air, service), try GNSDevice(in: air, service)
        )
        let annsManager: GNSMessageManager = ann.run { GNSMessageManager(apiKey: service.key) }
        let bobsManager: GNSMessageManager = bob.run { GNSMessageManager(apiKey: service.key) }
        let evesManager: GNSMessageManager = eve.run { GNSMessageManager(apiKey: service.otherProjectKey) }
        let (found, lost, evesCalls) = (Calls<GNSMessage?>(), Calls<GNSMessage?>(), Calls<GNSMessage?>())
        let subscriptions = [
            bob.run { FilledSnippets.subscribe(bobsManager, found: { found.add($0) }, lost: { lost.add($0) }) },
            eve.run {
                FilledSnippets.subscribe(evesManager, found: { evesCalls.add($0) }, lost: { evesCalls.add($0) })
            },
        ]
        let publication = ann.run { Snippets.publish(annsManager, name: "Ann") }
        #expect(await eventually { found.count >= 1 })
        ann.medium.setAway(true)
        #expect(await eventually { lost.count == found.count })
        let count = found.count
        ann.medium.setAway(false)
        #expect(await eventually { found.count > count })
        #expect(evesCalls.count == 0)
        withExtendedLifetime((subscriptions, publication, annsManager, bobsManager, evesManager)) {}
    }

    @Test(arguments: ServiceKind.available)
    func `a subscription finds messages of its type and namespace`(kind: ServiceKind) async throws {
        let (air, service) = (Air(), try kind.start())
        let (ann, bob) = (try GNSDevice(in: air, service), try GNSDevice(in: air, service))
        let annsManager: GNSMessageManager = ann.run { GNSMessageManager(apiKey: service.key) }
        let bobsManager: GNSMessageManager = bob.run { GNSMessageManager(apiKey: service.key) }
        func subscribe(_ set: @escaping (GNSSubscriptionParams) -> Void, _ found: Calls<GNSMessage?>) -> AnyObject? {
            bob.run {
                bobsManager.subscription(messageFoundHandler: { found.add($0) }, messageLostHandler: nil) { params in
                    params.map(set)
                }
            }
        }
        let (all, typed, spaced) = (Calls<GNSMessage?>(), Calls<GNSMessage?>(), Calls<GNSMessage?>())
        let kept: [AnyObject?] = [
            subscribe({ $0.type = nil }, all), subscribe({ $0.type = "b" }, typed),
            subscribe({ $0.messageNamespace = "n" }, spaced),
        ]
        let publications = ["a", "b"].map { type in
            ann.run { annsManager.publication(with: GNSMessage(content: Data(type.utf8), type: type)) }
        }
        #expect(await eventually { all.count == 2 && typed.count == 1 })
        await aWhile()
        let message = try #require(typed.all.first ?? nil)
        #expect(typed.texts == ["b"] && message.type == "b" && all.texts.sorted() == ["a", "b"])
        #expect(message.messageNamespace == "" && message.isAuthenticated == true)
        #expect(spaced.count == 0)
        withExtendedLifetime((kept, publications, annsManager, bobsManager)) {}
    }

    @Test(arguments: ServiceKind.available)
    func `04 a publisher that only scans opens no loudspeaker, and is found`(kind: ServiceKind) async throws {
        let (air, service) = (Air(), try kind.start())
        let (box, bob) = (try GNSDevice(in: air, service), try GNSDevice(in: air, service))
        let boxManager: GNSMessageManager = box.run { GNSMessageManager(apiKey: service.key) }
        let bobsManager: GNSMessageManager = bob.run { GNSMessageManager(apiKey: service.key) }
        let found = Calls<GNSMessage?>()
        let subscription = bob.run { FilledSnippets.subscribe(bobsManager, found: { found.add($0) }, lost: { _ in }) }
        let publication = box.run {
            Snippets.publishByScanning(boxManager, message: GNSMessage(content: Data("box".utf8)))
        }
        #expect(await eventually { found.texts == ["box"] })
        #expect(box.medium.modes == [.scan] && box.medium.tokens.isEmpty)
        #expect(bob.medium.modes == [.both], "the default is both directions")
        withExtendedLifetime((subscription, publication, boxManager, bobsManager)) {}
    }
}
