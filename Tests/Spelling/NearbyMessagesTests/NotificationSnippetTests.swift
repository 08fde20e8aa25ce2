import DesktopTestSupport
import EarshotMessages
import EarshotNotifications
import Foundation
import MessagesTestSupport
import TestSupport
import Testing
import UIKitNames

@testable import NearbyMessages

/// Snippets 11 and 12: a notification shows a found message to the user while the app is in the background.
@MainActor @Suite(.apart, .serialized, .enabled(if: Desktop.missing == nil, "\(Desktop.missing ?? "")"))
struct NotificationSnippetTests {
    private let lines = Lines()

    private func app(on desktop: Desktop) -> UIApplication {
        let (bus, lines) = (desktop.session.bus, lines)
        return UIApplication {
            var limits = NotificationLimits()
            limits.answerTime = .seconds(30)
            return UserNotificationCenter(
                applicationIdentifier: "app", limits: limits, bus: bus,
                output: NotificationOutput {
                    lines.add($0)
                } journal: { _, _ in
                })
        }
    }

    @Test func `11 and 12 a message that is found in the background is told by a notification`() async throws {
        let desktop = try await Desktop()
        let app = app(on: desktop)
        UIApplication.$current.withValue(app) { Snippets.registerForNotifications() }
        let (air, service) = (Air(), FakeServiceUnderTest())
        let (here, there) = (try GNSDevice(in: air, service), try GNSDevice(in: air, service))
        let found = Calls<GNSMessage?>()
        let manager: GNSMessageManager = here.run { GNSMessageManager(apiKey: service.key) }
        let subscription = here.run {
            FilledSnippets.subscribe(
                manager,
                found: { message in
                    UIApplication.$current.withValue(app) { Snippets.notifyWhenFound()(message) }
                    found.add(message)
                }, lost: { _ in })
        }
        let publisher: GNSMessageManager = there.run { GNSMessageManager(apiKey: service.key) }

        app.setApplicationState(.active)
        let first = there.run { publisher.publication(with: GNSMessage(content: Data("Ann".utf8))) }
        #expect(await eventually { found.texts == ["Ann"] })
        await app.waitUntilPresented()
        #expect(try desktop.displayedCount() == 0, "the user sees the app")

        app.setApplicationState(.background)
        let second = there.run { publisher.publication(with: GNSMessage(content: Data("Bob".utf8))) }
        #expect(await eventually { found.texts == ["Ann", "Bob"] })
        await app.waitUntilPresented()
        #expect(await eventually { (try? desktop.displayedCount()) == 1 })
        if let path = ProcessInfo.processInfo.environment["EARSHOT_SCREENSHOT_12"] {
            try await Task.sleep(for: .seconds(1))
            try desktop.photograph(to: path)
        }
        try desktop.control("close-all")
        #expect(try desktop.history().contains("Message received"))
        #expect(lines.all == [])
        withExtendedLifetime((manager, subscription, publisher, first, second)) {}
    }
}
