import EarshotMessages
import Foundation
import MessagesTestSupport
import TestSupport
import Testing

@testable import NearbyMessages

/// The lines of apps in AppUses.swift compile in both language modes. These tests run those whose behaviour depends on more than
/// the compiler.
@MainActor @Suite(.apart) struct AppUsesTests {
    private func device(_ service: FakeServiceUnderTest = FakeServiceUnderTest()) throws -> GNSDevice {
        try GNSDevice(in: Air(), service)
    }

    @Test func `an inferred, a declared and a replaced manager publish alike`() async throws {
        let service = FakeServiceUnderTest()
        let message = GNSMessage(content: Data("Ann".utf8))
        for publish: (GNSMessageManager?) -> GNSPublication? in [
            { $0.publication(with: message) }, { $0?.publication(with: message) }, { $0!.publication(with: message) },
            { $0.publicationWithMessage(message) },
        ] {
            try await publishes(publish, service)
            #expect(await eventually { service.fake.things.isEmpty })
        }
        let none: GNSMessageManager? = nil
        #expect(none.publication(with: message) == nil)
        #expect(none.subscription(messageFoundHandler: nil, messageLostHandler: nil) == nil)
    }

    private func publishes(
        _ publish: (GNSMessageManager?) -> GNSPublication?, _ service: FakeServiceUnderTest
    ) async throws {
        let device = try device(service)
        let manager = device.run { GNSMessageManager(apiKey: service.key) }
        let publication = publish(manager)
        #expect(await eventually { service.fake.things.count == 1 })
        withExtendedLifetime((manager, publication)) {}
    }

    @Test func `all forms of managers and calls run`() async throws {
        // This runs without consent, because several managers share the device here, and a medium can be open only
        // once.
        let device = try GNSDevice(in: Air(), FakeServiceUnderTest(), permission: .undecided)
        device.run {
            let uses = ManagerUses()
            uses.call(GNSMessage(content: Data("Ann".utf8)))
            #expect(uses.publication == nil && uses.subscription != nil && uses.make() != nil)
        }
    }

    @Test func `a publication whose result is not used ends at once`() async throws {
        let service = FakeServiceUnderTest()
        let device = try device(service)
        let manager: GNSMessageManager = device.run { GNSMessageManager(apiKey: service.key) }
        let uses = OperationUses()
        uses.publish(manager, GNSMessage(content: Data("Ann".utf8)))
        uses.subscribe(manager)
        // The app holds one publication and one subscription. The others ended before they began.
        #expect(await eventually { uses.status == "active" && service.fake.things.count == 2 })
        await aWhile()
        #expect(service.fake.things.count == 2)
        withExtendedLifetime((manager, uses)) {}
    }

    @Test func `a message is an NSObject`() throws {
        let uses = MessageUses()
        let message = try #require(uses.make("Ann", data: nil))
        #expect(uses.compare(message, GNSMessage(content: Data("Ann".utf8))))
        #expect(!message.isEqual(GNSMessage(content: Data("Bob".utf8))) && !message.isEqual("Ann"))
        #expect(message.hash == GNSMessage(content: Data("Ann".utf8)).hash)
        #expect(!message.description.contains("Ann"), "a content is private")
        uses.read(message)
        #expect(uses.shown.contains("Ann") && message.text == "Ann")
    }

    @Test func `a subclass replaces what the app or its test wants`() throws {
        let device = try device()
        device.run {
            let message = GNSMessage(content: Data("Ann".utf8))
            let manager: GNSMessageManager = RecordingManager(apiKey: "key")
            manager.publication(with: message)
            #expect(RecordingManager.published == [message])
            #expect(RecordingManager.isDebugLoggingEnabled() && !GNSMessageManager.isDebugLoggingEnabled())
            #expect(NamedMessage(content: Data("Ann".utf8)).description == "message Ann")
            #expect(AppPermission.isGranted())
            #expect(AppStrategy(paramsBlock: { $0?.discoveryMode = .scan }).discoveryMode == .scan)
            #expect(AppParams().shouldShowBluetoothPowerAlert)
        }
    }

    @Test func `a strategy takes the bits of an Int`() {
        let strategy = OperationUses().chooseStrategy(modes: ["scan"], mediums: 3, mode: 2)
        #expect(strategy.discoveryMode == .scan && strategy.discoveryMediums == .default)
    }

    @Test func `parameters have one value in both spellings`() {
        let params = GNSMessageManagerParams()
        params.shouldShowBluetoothPowerAlert = false
        params.useBestAudioSessionCategory = false
        #expect(!params.showBluetoothPowerAlert && !params.shouldUseBestAudioSessionCategory)
    }

    @Test func `the permission is followed and toggled`() async throws {
        let device = try device()
        let uses = PermissionUses()
        device.run { uses.follow() }
        #expect(await eventually { uses.granted })
        device.run { uses.toggle() }
        #expect(await eventually { !uses.granted && device.permission == .denied })
    }
}
