import Foundation

/// The reason why the agent started the app, from the environment; see docs/AGENT.md.
enum LaunchReason {
    /// - Returns: nil if the user started the app.
    static func options(_ environment: [String: String]) -> [UIApplication.LaunchOptionsKey: Any]? {
        switch environment["EARSHOT_LAUNCHED_BY"] {
        case "found": return [.bluetoothCentrals: [String]()]
        case "click":
            let notification = UILocalNotification()
            notification.alertTitle = environment["EARSHOT_NOTIFICATION_TITLE"]
            notification.alertBody = environment["EARSHOT_NOTIFICATION_BODY"]
            notification.userInfo = environment["EARSHOT_NOTIFICATION_ID"].map {
                [UILocalNotification.identifierKey: $0]
            }
            return [.localNotification: notification]
        default: return nil
        }
    }
}
