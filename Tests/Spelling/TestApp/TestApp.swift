import Dispatch
import Foundation
import NearbyMessages

// An asynchronous `main` serves the main queue.

/// An app as a user starts it, for tests that need a process. The first argument selects its action.
@main enum TestApp {
    @MainActor static func main() async {
        let settings = UserDefaults.standard
        switch CommandLine.arguments.dropFirst().first {
        case "state": print(UIApplication.shared.applicationState)
        case "notify":
            UIApplication.shared.registerUserNotificationSettings(
                UIUserNotificationSettings(types: [.alert], categories: nil))
            let notification = UILocalNotification()
            notification.alertBody = "text"
            UIApplication.shared.presentLocalNotificationNow(notification)
            await UIApplication.shared.waitUntilPresented()
        case "launch": AppDelegate.main()
        case "bluetooth": await runByBluetooth()
        case "read": print(settings.bool(forKey: "flag"), BackgroundFlag("flag").isOn)
        // The ways to save a setting; then the app is killed.
        case "set": settings.set(true, forKey: "flag")
        case "set and synchronize":
            settings.set(true, forKey: "flag")
            settings.synchronize()
        case "set as printed":
            // Any app of the documents has a manager. It needs the user's consent, so nothing is sent here.
            let manager: GNSMessageManager = GNSMessageManager(apiKey: "key")
            settings.set(true, forKey: "flag")
            if CommandLine.arguments.dropFirst(2).first == "waits" { try? await Task.sleep(for: .seconds(3_600)) }
            withExtendedLifetime(manager) {}
        case "turn on": BackgroundFlag("flag").isOn = true
        case "turn off": BackgroundFlag("flag").isOn = false
        case "restore": print(BackgroundFlag("flag").restore { "restored" } ?? "nothing")
        default: exit(64)
        }
        if CommandLine.arguments.dropFirst(2).first == "killed" { kill(getpid(), SIGKILL) }
    }

    /// Prints a line without a buffer, which would hide it from a reader of the file.
    private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    /// Publishes by Bluetooth, and prints what the error handlers receive.
    @MainActor private static func runByBluetooth() async {
        GNSPermission.setGranted(true)
        // The process has no terminal, and its operations end when it leaves the foreground.
        UIApplication.shared.setApplicationState(.active)
        let manager: GNSMessageManager = GNSMessageManager(
            apiKey: "key",
            paramsBlock: { params in
                params?.bluetoothPowerErrorHandler = { say("power \($0)") }
                params?.bluetoothPermissionErrorHandler = { say("permission \($0)") }
            })
        let publication = manager.publication(with: GNSMessage(content: Data("message".utf8))) { params in
            params?.strategy = GNSStrategy { $0?.discoveryMediums = .BLE }
        }
        try? await Task.sleep(for: .seconds(3_600))
        withExtendedLifetime((manager, publication)) {}
    }
}

final class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        // Handlers need the main queue, which runs after the launch.
        Task { @MainActor in
            print("launched", application.delegate === self, launchOptions == nil)
            exit(0)
        }
        return true
    }
}
