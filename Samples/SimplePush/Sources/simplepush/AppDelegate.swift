import Dispatch
import Foundation
import NetworkExtension
import SimplePushClient
import SimplePushKit
import UIKitNames

/// `simplepush run`: receives calls from the provider, rings, and answers.
final class AppDelegate: UIResponder, UIApplicationDelegate, NEAppPushDelegate {
    static var outputsJSON = false
    private let console = Console(usesJSON: AppDelegate.outputsJSON)
    private let ringer = Ringer()
    private let signals = EndingSignals()
    private var watch: CallWatch?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        NEAppPushManager.loadAllFromPreferences { managers, error in
            if let error { self.console.say(Event(event: "problem", reason: "\(error)"), "\(error)") }
            for manager in managers {
                manager.delegate = self
            }
        }
        do {
            let settings = try SettingsFile().load()
            let watch = CallWatch(console: console, ringer: ringer, open: try settings.opener())
            self.watch = watch
            Task { await watch.run() }
            Self.readCommands(watch)
        } catch {
            Program.end(error)
        }
        let signals = signals
        Task {
            guard await signals.first() != nil else { return }
            await self.watch?.leave()
            exit(0)
        }
        if let tapped = launchOptions?[.localNotification] as? UILocalNotification {
            openThread(tapped.userInfo?[UILocalNotification.identifierKey] as? String ?? "")
        }
        console.say(Event(event: "waiting"), "Waiting for calls.")
        return true
    }

    func appPushManager(
        _ manager: NEAppPushManager, didReceiveIncomingCallWithUserInfo userInfo: [AnyHashable: Any] = [:]
    ) {
        guard let id = userInfo["id"] as? String, let user = userInfo["from"] as? String else { return }
        let name = userInfo["fromName"] as? String ?? user
        Task { await watch?.ring(id: id, user: user, name: name) }
    }

    func appPushManager(
        _ manager: NEAppPushManager, didClickNotification identifier: String, title: String, body: String
    ) { openThread(identifier) }

    /// A tap on a notification opens the texts with its sender, here and in a terminal of the desktop.
    private func openThread(_ identifier: String) {
        guard let name = NotificationName(identifier: identifier), let settings = try? SettingsFile().load() else {
            return
        }
        console.say(Event(event: "opened", user: name.peer), "You and \(name.peer):")
        console.say(
            TextHistory(path: SettingsFile.historyPath(settings)).entries(with: name.peer), with: name.peer)
        DesktopTerminal.open(["texts", name.peer])
    }

    /// Words on standard input act on the current call. Without a terminal, use the commands of the same names.
    private nonisolated static func readCommands(_ watch: CallWatch) {
        Thread.detachNewThread {
            while let line = readLine() {
                let word = line.trimmingCharacters(in: .whitespaces)
                Task {
                    switch word {
                    case "": break
                    case "accept": await watch.act(.accept)
                    case "decline": await watch.act(.decline)
                    case "hangup": await watch.act(.hangUp)
                    default: await watch.explain()
                    }
                }
            }
        }
    }
}
