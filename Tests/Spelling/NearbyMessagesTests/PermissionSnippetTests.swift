import EarshotDiscovery
import EarshotMessages
import Foundation
import MessagesTestSupport
import NearbyMessages
import TestSupport
import Testing

/// Snippets 06, 07 and 09: the user's permission.
@MainActor @Suite(.apart) struct PermissionSnippetTests {
    private let air = Air()
    private let service = FakeServiceUnderTest()

    @Test func `06 the handler receives decisions only, also those of other processes`() async throws {
        let device = try GNSDevice(in: air, service, permission: .undecided)
        let calls = Calls<Bool>()
        var permission: GNSPermission? = device.run { FilledSnippets.trackPermission { calls.add($0) } }
        await aWhile()
        #expect(calls.all == [], "nothing is decided")
        let other = PermissionStore(applicationIdentifier: "app", configurationFolder: device.scratch.path)
        try other.set(.denied)
        #expect(await eventually { calls.all == [false] })
        try other.set(.granted)
        #expect(await eventually { calls.all == [false, true] })
        try other.set(.granted)
        device.run { GNSPermission.setGranted(false) }
        #expect(await eventually { calls.all == [false, true, false] })
        #expect(permission != nil)
        permission = nil
        try other.set(.granted)
        await aWhile()
        #expect(calls.count == 3, "a released permission calls no handler")
    }

    @Test func `06 the handler receives an earlier decision at once`() async throws {
        let device = try GNSDevice(in: air, service, permission: .granted)
        let calls = Calls<Bool>()
        let permission = device.run { FilledSnippets.trackPermission { calls.add($0) } }
        #expect(await eventually { calls.all == [true] })
        withExtendedLifetime(permission) {}
    }

    @Test func `07 the switch is kept, and starts and stops operations`() async throws {
        let device = try GNSDevice(in: air, service, permission: .undecided)
        let statuses = Calls<GNSOperationStatus>()
        let manager: GNSMessageManager = device.run { GNSMessageManager(apiKey: service.key) }
        let publication = device.run {
            manager.publication(with: GNSMessage(content: Data("Ann".utf8))) { params in
                params?.statusHandler = { statuses.add($0) }
            }
        }
        await aWhile()
        #expect(!device.run { GNSPermission.isGranted() })
        #expect(device.medium.modes == [] && service.fake.requests == [], "nothing without consent")
        device.run { Snippets.togglePermission() }
        #expect(device.run { GNSPermission.isGranted() } && device.permission == .granted)
        #expect(await eventually { statuses.all.last == .active && device.medium.mode.contains(.broadcast) })
        device.run { Snippets.togglePermission() }
        #expect(!device.run { GNSPermission.isGranted() } && device.permission == .denied)
        #expect(await eventually { statuses.all.last == .inactive && device.medium.mode.isEmpty })
        #expect(await eventually { service.fake.things.isEmpty })
        device.run { Snippets.togglePermission() }
        #expect(await eventually { statuses.all.last == .active })
        withExtendedLifetime((manager, publication)) {}
    }

    @Test func `07 standard error says that a decision cannot be kept`() async throws {
        let device = try GNSDevice(in: air, service, permission: .undecided)
        // The folder's path is a file, so even root cannot write below it.
        try Data().write(to: URL(filePath: "\(device.scratch.path)/app"))
        device.run { GNSPermission.setGranted(true) }
        #expect(device.warnings.all.count == 1 && device.warnings.all[0].contains("\(device.scratch.path)/app"))
        #expect(device.run { GNSPermission.isGranted() }, "the decision counts until the program ends")
    }

    @Test func `standard error says once that nothing can ask for consent`() async throws {
        let device = try GNSDevice(in: air, service, permission: .undecided)
        let manager: GNSMessageManager = device.run { GNSMessageManager(apiKey: service.key) }
        let publication = device.run { Snippets.publish(manager, name: "Ann") }
        let subscription = device.run { Snippets.subscribe(manager) }
        #expect(await eventually { !device.warnings.all.isEmpty })
        await aWhile()
        #expect(device.warnings.all.count == 1, "two operations")
        #expect(device.permission == .undecided && device.medium.modes == [])
        withExtendedLifetime((manager, publication, subscription)) {}
    }

    @Test func `09 nothing begins before the app's own dialog has answered`() async throws {
        let device = try GNSDevice(in: air, service, permission: .undecided)
        let manager: GNSMessageManager = device.run { GNSMessageManager(apiKey: service.key) }
        let dialogs = Calls<GNSPermissionHandler?>()
        let publication = device.run {
            FilledSnippets.askByOwnDialog(manager, name: "Ann") { dialogs.add($0) }
        }
        #expect(await eventually { dialogs.count == 1 })
        await aWhile()
        #expect(device.medium.modes == [] && service.fake.requests == [])
        dialogs.all.first??(true)
        #expect(await eventually { service.fake.things.count == 1 && device.medium.mode.contains(.broadcast) })
        #expect(device.permission == .granted)
        // A second answer does not count.
        dialogs.all.first??(false)
        #expect(await eventually { device.log.all.contains { $0.contains("first call counts") } })
        #expect(device.permission == .granted)
        withExtendedLifetime((manager, publication)) {}
    }

    @Test func `09 a denied operation is inactive, and the next one asks again`() async throws {
        let device = try GNSDevice(in: air, service, permission: .undecided)
        let manager: GNSMessageManager = device.run { GNSMessageManager(apiKey: service.key) }
        let answers = Calls<Bool>()
        let first = device.run {
            FilledSnippets.askByOwnDialog(manager, name: "Ann") { handler in
                answers.add(false)
                handler?(false)
            }
        }
        #expect(await eventually { device.permission == .denied })
        await aWhile()
        #expect(device.medium.modes == [] && service.fake.requests == [])
        let second = device.run {
            FilledSnippets.askByOwnDialog(manager, name: "Bob") { handler in
                answers.add(true)
                handler?(true)
            }
        }
        #expect(await eventually { service.fake.things.count == 2 }, "the first one begins with the second")
        #expect(answers.all == [false, true])
        withExtendedLifetime((manager, first, second)) {}
    }

    @Test func `09 a dialog that is never answered decides nothing`() async throws {
        let device = try GNSDevice(in: air, service, permission: .undecided)
        let manager: GNSMessageManager = device.run { GNSMessageManager(apiKey: service.key) }
        // The printed snippet releases the handler without a call.
        let publication = device.run { Snippets.askByOwnDialog(manager, name: "Ann") }
        #expect(await eventually { device.log.all.contains { $0.contains("got no answer") } })
        await aWhile()
        #expect(device.permission == .undecided)
        #expect(device.medium.modes == [] && service.fake.requests == [])
        withExtendedLifetime((manager, publication)) {}
    }

    @Test func `two operations without a dialog ask once, on the terminal`() async throws {
        let terminal = try Terminal()
        let device = try GNSDevice(in: air, service, permission: .undecided, terminal: terminal)
        let manager: GNSMessageManager = device.run { GNSMessageManager(apiKey: service.key) }
        let publication = device.run { Snippets.publish(manager, name: "Ann") }
        let subscription = device.run { Snippets.subscribe(manager) }
        #expect(await terminal.read(until: "[l]earn more? ") != nil)
        await aWhile()
        #expect(device.medium.modes == [] && service.fake.requests == [])
        terminal.type("a\n")
        #expect(await eventually { service.fake.things.count == 2 })
        #expect(device.permission == .granted)
        // There is one question: after the answer the screen is empty.
        #expect(await terminal.read(until: "a\n") == "a\n")
        withExtendedLifetime((manager, publication, subscription)) {}
    }

    @Test func `the dialog of a released publication may still be answered`() async throws {
        let device = try GNSDevice(in: air, service, permission: .undecided)
        let manager: GNSMessageManager = device.run { GNSMessageManager(apiKey: service.key) }
        let dialogs = Calls<GNSPermissionHandler?>()
        var publication = device.run { FilledSnippets.askByOwnDialog(manager, name: "Ann") { dialogs.add($0) } }
        #expect(await eventually { dialogs.count == 1 && publication != nil })
        publication = nil
        await aWhile()
        dialogs.all.first??(true)
        #expect(await eventually { device.permission == .granted })
        await aWhile()
        #expect(device.medium.modes == [] && service.fake.things == [])
        withExtendedLifetime(manager) {}
    }
}
