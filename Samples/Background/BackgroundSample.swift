import Foundation
import NearbyMessages

/// Reports messages of devices and beacons nearby, even while it does not run.
///
///     background-sample on      subscribes, now and at each launch, until it is switched off
///     background-sample         continues with the last choice
///     background-sample off     ends the work in the background
///
/// EARSHOT_KEY is a key of the project. A user may kill the sample at any time: the agent continues, and starts the
/// sample again when the user clicks the notification that its manifest describes.
@main final class BackgroundSample: UIResponder, UIApplicationDelegate {
    /// The user's choice. It is on the disk before `isOn = …` returns.
    private let background = BackgroundFlag("background")
    private var messageManager: GNSMessageManager?
    private var subscription: (any GNSSubscription)?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        switch CommandLine.arguments.dropFirst().first {
        case "on": background.isOn = true
        case "off": background.isOn = false
        case nil: break
        case let word?: fail("'\(word)' is neither 'on' nor 'off'.")
        }
        guard let key = ProcessInfo.processInfo.environment["EARSHOT_KEY"] else {
            fail("Set EARSHOT_KEY to a key of the project; 'earshotd key create' makes one.")
        }
        guard background.isOn else {
            say("The background is off.")
            exit(0)
        }
        application.registerUserNotificationSettings(
            UIUserNotificationSettings(types: [.alert, .badge, .sound], categories: nil))
        // A click brings the app to the foreground. A program with windows reports that when it has shown them.
        if launchOptions?[.localNotification] != nil { application.setApplicationState(.active) }
        messageManager = GNSMessageManager(apiKey: key)
        subscription = background.restore { subscribe() } ?? nil
        return true
    }

    private func subscribe() -> (any GNSSubscription)? {
        messageManager?.subscription(
            messageFoundHandler: { message in found(message) },
            messageLostHandler: { message in say("lost \(text(message))") },
            paramsBlock: { params in
                params?.deviceTypesToDiscover = [.usingNearby, .bleBeacon]
                params?.strategy = GNSStrategy { params in
                    params?.allowInBackground = true
                    params?.discoveryMediums = .BLE
                    // It has no message to send, so it only listens.
                    params?.discoveryMode = .scan
                }
                params?.beaconStrategy = GNSBeaconStrategy { params in
                    params?.allowInBackground = true
                    // Only Eddystone, with low power, so the user is not asked about the location.
                    params?.includeIBeacons = false
                }
                params?.statusHandler = { status in say("status \(status)") }
            })
    }
}

private func found(_ message: GNSMessage?) {
    say("found \(text(message))")
    // Notify only if the user does not see the app, as the documents recommend.
    if UIApplication.shared.applicationState != .active {
        let localNotification = UILocalNotification()
        localNotification.alertBody = "Near you: \(text(message))"
        UIApplication.shared.presentLocalNotificationNow(localNotification)
    }
}

private func text(_ message: GNSMessage?) -> String {
    String(decoding: message?.content ?? Data(), as: UTF8.self)
}

private func say(_ line: String) {
    print(line)
    // Write the line immediately, even to a file, because the sample may be killed.
    fflush(nil)
}

private func fail(_ sentence: String) -> Never {
    FileHandle.standardError.write(Data("background-sample: \(sentence)\n".utf8))
    exit(64)
}
