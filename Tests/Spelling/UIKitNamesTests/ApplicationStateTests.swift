import DesktopTestSupport
import Dispatch
import Foundation
import MessagesTestSupport
import TestSupport
import Testing
import UIKitNames

/// Whether the user sees the app.
@MainActor @Suite(.apart) struct ApplicationStateTests {
    @Test func `a program in a terminal is active in front and in the background behind`() throws {
        let scratch = try Scratch()
        #expect(try AppProgram.run(["state"], in: scratch) == "background", "there is no terminal")
        let front = try AppProgram.run(["state"], wrapper: ["script", "-qec", "exec APP", "/dev/null"], in: scratch)
        #expect(front == "active")
        // A shell with job control gives each job its own process group, and gives the terminal to one of them.
        let behind = try AppProgram.run(
            ["state"], wrapper: ["script", "-qec", "bash -c 'set -m; APP & wait'", "/dev/null"], in: scratch)
        // The shell's line about its job may follow.
        #expect(behind.hasPrefix("background"))
    }

    @Test func `a toolkit says the state, and observers hear of it`() async {
        let app = UIApplication()
        let names = Lines()
        let center = NotificationCenter.default
        let observers = [
            UIApplication.didEnterBackgroundNotification, UIApplication.willEnterForegroundNotification,
            UIApplication.didBecomeActiveNotification, UIApplication.willResignActiveNotification,
        ].map { name in
            center.addObserver(forName: name, object: app, queue: nil) { names.add($0.name.rawValue) }
        }
        app.setApplicationState(.active)
        #expect(app.applicationState == .active)
        await settled()
        let before = names.all.count
        app.setApplicationState(.inactive)
        app.setApplicationState(.background)
        app.setApplicationState(.background)
        #expect(app.applicationState == .background)
        app.setApplicationState(.active)
        await settled()
        #expect(
            names.all.dropFirst(before) == [
                "UIApplicationWillResignActiveNotification", "UIApplicationDidEnterBackgroundNotification",
                "UIApplicationWillEnterForegroundNotification", "UIApplicationDidBecomeActiveNotification",
            ])
        for observer in observers { center.removeObserver(observer) }
    }

    @Test func `a class with @main is launched as the delegate`() throws {
        #expect(try AppProgram.run(["launch"], in: Scratch()) == "launched true true")
    }

    /// Waits until the main queue has run all waiting blocks.
    private func settled() async {
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    }
}
