package import EarshotNotifications

/// Shows an app's notifications in its place, so that a click on one starts the app after its end.
package protocol NotificationRelay: Sendable {
    /// Shows a notification.
    /// - Parameter onClick: called if the user clicks it while this process lives.
    /// - Returns: whether it is shown. If not, the app shows it itself.
    func show(_ request: NotificationRequest, onClick: @escaping @Sendable () -> Void) async -> Bool

    /// Closes a notification that was shown.
    func remove(_ identifier: String)
}
