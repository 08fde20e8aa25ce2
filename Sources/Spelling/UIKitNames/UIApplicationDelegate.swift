public import Foundation

/// Is informed of the launch of the app, and of the notifications that its user clicks.
///
/// `@main` on a class that is a `UIResponder` and conforms makes it the program:
///
///     @main final class AppDelegate: UIResponder, UIApplicationDelegate { … }
@MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
    /// The app was launched. Publish and subscribe again here.
    /// - Returns: ignored here.
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool

    /// `registerUserNotificationSettings` has an answer.
    /// - Parameter notificationSettings: the requested types that the desktop supports.
    func application(
        _ application: UIApplication, didRegister notificationSettings: UIUserNotificationSettings)

    /// The user clicked a notification.
    func application(_ application: UIApplication, didReceive notification: UILocalNotification)
}

extension UIApplicationDelegate {
    /// Does nothing.
    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }

    /// Does nothing.
    public func application(
        _ application: UIApplication, didRegister notificationSettings: UIUserNotificationSettings
    ) {}

    /// Does nothing.
    public func application(_ application: UIApplication, didReceive notification: UILocalNotification) {}
}

extension UIApplicationDelegate where Self: UIResponder {
    /// Runs the app: creates its delegate, informs it of the launch, and serves the main queue until the process ends.
    public static func main() {
        let delegate = Self()
        UIApplication.shared.launch(delegate, options: LaunchReason.options(ProcessInfo.processInfo.environment))
        // `Timer` needs the run loop, which returns at once if it has no sources.
        RunLoop.main.run()
        dispatchMain()
    }
}
