import Dispatch
import Foundation
import NetworkExtension

/// An app that receives calls, and appends a line to a file for each event: `began REASON`, `call NAME`, `active true`.
///
///     push-app FILE [crash]
///
/// With `crash` it ends as soon as it has begun; otherwise when the folder of the file is removed. EARSHOT_AGENT_SOCKET names the agent,
/// EARSHOT_APP_ID the app.
@main @MainActor final class PushApp: NSObject, NEAppPushDelegate {
    private static let file = CommandLine.arguments[1]
    private static let app = PushApp()
    private var observations: [NEAppPushObservation] = []

    static func main() {
        write("began \(ProcessInfo.processInfo.environment["EARSHOT_LAUNCHED_BY"] ?? "user")")
        if CommandLine.arguments.dropFirst(2).contains("crash") { exit(3) }
        NEAppPushManager.loadAllFromPreferences { managers, error in
            if let error { write("error \(error.localizedDescription)") }
            for manager in managers ?? [] {
                manager.delegate = app
                app.observations.append(manager.observeActive { write("active \($0)") })
            }
        }
        // The test removes its folder at its end.
        let watch = DispatchSource.makeTimerSource(queue: .main)
        watch.setEventHandler { if access((file as NSString).deletingLastPathComponent, F_OK) != 0 { exit(0) } }
        watch.schedule(deadline: .now() + 1, repeating: 1)
        watch.resume()
        withExtendedLifetime(watch) { dispatchMain() }
    }

    func appPushManager(
        _ manager: NEAppPushManager, didReceiveIncomingCallWithUserInfo userInfo: [AnyHashable: Any]
    ) {
        Self.write("call \(userInfo["call"] as? String ?? "")")
    }

    func appPushManager(
        _ manager: NEAppPushManager, didClickNotification identifier: String, title: String, body: String
    ) {
        Self.write("click \(identifier) \(title): \(body)")
    }

    private static func write(_ line: String) {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let bytes = Array("\(line)\n".utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}
