import EarshotPush
import Foundation
import MessagesTestSupport
import NetworkExtension
import TestSupport
import Testing
import UIKitNames

/// The document's examples work as it describes.
@MainActor @Suite(.apart, .serialized) struct SnippetTests {
    private let app: App

    init() throws { app = try App() }

    @Test func theFirstSavesAConfiguration() async throws {
        Seen.saveCount = 0
        PushSystem.$replacement.withValue(app.system) { _ = FilledSnippets.createConfiguration() }
        #expect(await eventually { Seen.saveCount == 1 })
        let saved = try #require(app.store.load().configurations.first)
        #expect(saved.ssids == ["Cruise Ship Wi-Fi", "Cruise Ship Staff Wi-Fi"].map { Array($0.utf8) })
        #expect(saved.provider == "com.myexample.SimplePush.Provider" && saved.isEnabled)
        #expect(saved.providerConfiguration == ["host": .string("cruiseship.example.com")])
        #expect(saved.savedCount > 0 && Seen.error == nil)
    }

    @Test func theSecondStartsAndStops() {
        let provider: NEAppPushProvider = SimplePushProvider(startedBy: ())
        var answers: [String] = []
        provider.start { answers.append("start \($0 == nil)") }
        provider.stop(with: .sleep) { answers.append("stop") }
        #expect(answers == ["start true", "stop"])
    }

    @Test func theThirdHearsOfACallThatCameBeforeItsLaunch() async throws {
        let agent = app.agent()
        PushSystem.$replacement.withValue(app.system) { _ = FilledSnippets.createConfiguration() }
        #expect(await eventually { app.store.load().configurations.count == 1 })
        let name = try #require(app.store.load().configurations.first?.identifier)
        Seen.calls = []
        // The agent has started this process for the call.
        let process = try App(scratch: app.scratch)
        agent.report("1", name, .dictionary(["caller": .string("Ada")]))
        let delegate = FilledAppDelegate()
        let isLaunched = PushSystem.$replacement.withValue(process.system) {
            delegate.application(UIApplication.shared, didFinishLaunchingWithOptions: nil)
        }
        #expect(isLaunched)
        #expect(await eventually { Seen.calls.count == 1 })
        #expect(Seen.calls.first?["caller"] as? String == "Ada" && Seen.loaded == nil)
    }

    @Test func theThirdTakesTheErrorsArrayAsEmpty() async throws {
        try app.scratch.write("", to: "push")
        // The folder's path is a file, so there are no configurations.
        let delegate = FilledAppDelegate()
        _ = PushSystem.$replacement.withValue(app.system) {
            delegate.application(UIApplication.shared, didFinishLaunchingWithOptions: nil)
        }
        await aWhile()
        #expect(Seen.loaded == nil)
    }
}
