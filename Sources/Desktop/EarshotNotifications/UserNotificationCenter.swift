package import EarshotDBus
import Foundation

/// Shows notifications on the user's desktop, and passes their clicks on.
///
///     let center = UserNotificationCenter()
///     await center.requestAuthorization(options: [.alert, .sound])
///     let content = NotificationContent(title: "Museum", body: "Ann is near.", sound: .default)
///     let delivered = try await center.add(NotificationRequest(identifier: "ann", content: content))
///     for await event in delivered.events where event == .action(identifier: NotificationAction.defaultIdentifier) {
///         openConversation()
///     }
///
/// The desktop's service is `org.freedesktop.Notifications` on the session bus. Without a service, if it does not
/// answer, and before `requestAuthorization`, a notification's text goes to standard error as one line. The first time,
/// the reason is written before it, and to the journal.
///
/// When a service ends, its notifications are closed; the next request uses the next service.
public final class UserNotificationCenter: Sendable {
    /// The identifier of the application: the name of its desktop file without `.desktop`.
    public let applicationIdentifier: String
    private let desk: NotificationDesk

    /// A center for one application. It connects at its first use.
    /// - Parameters:
    ///   - applicationIdentifier: nil for the variable `EARSHOT_APP_ID`, or else the program's name.
    ///   - limits: the limits for the application's notifications.
    public convenience init(applicationIdentifier: String? = nil, limits: NotificationLimits = NotificationLimits()) {
        self.init(applicationIdentifier: applicationIdentifier, limits: limits, bus: .session, output: .system)
    }

    package init(
        applicationIdentifier: String? = nil, limits: NotificationLimits = NotificationLimits(), bus: DBusBus,
        output: NotificationOutput
    ) {
        let identifier = NotificationText.cleaned(
            applicationIdentifier ?? Self.systemIdentifier, maximumScalarCount: 200)
        self.applicationIdentifier = identifier
        desk = NotificationDesk(application: identifier, bus: bus, limits: limits, output: output)
    }

    /// States which means the application wants to use. Without this call it uses none. The user is not asked: on a
    /// desktop the user decides in the desktop's settings.
    /// - Returns: the means that the desktop supports.
    @discardableResult
    public func requestAuthorization(options: NotificationOptions) async -> NotificationSettings {
        await desk.authorize(options)
    }

    /// The means that the application requested and the desktop supports.
    public func notificationSettings() async -> NotificationSettings {
        await desk.settings()
    }

    /// Shows a notification, or replaces the one with the same identifier. Requests reach the desktop in their order.
    /// - Returns: the place of the text, and the events of this notification.
    /// - Throws: `NotificationError.tooMany` if the limits are exceeded; the text is not shown then.
    @discardableResult
    public func add(_ request: NotificationRequest) async throws(NotificationError) -> DeliveredNotification {
        try await desk.add(request)
    }

    /// The identifiers of the notifications that the desktop shows, the oldest first.
    public func deliveredIdentifiers() async -> [String] {
        await desk.openIdentifiers()
    }

    /// Closes the notifications of these identifiers; unknown ones have no effect.
    public func removeDeliveredNotifications(withIdentifiers identifiers: [String]) async {
        await desk.remove(identifiers)
    }

    /// Closes all notifications of this center.
    public func removeAllDeliveredNotifications() async {
        await desk.remove(await desk.openIdentifiers())
    }

    /// Shows a number on the application's icon.
    /// - Parameter count: 0 for no number.
    /// - Throws: `NotificationError.badgeNotSupported` if no launcher shows badges, or the application did not ask for badges.
    public func setBadgeCount(_ count: Int) async throws(NotificationError) {
        try await desk.setBadge(count)
    }

    /// Writes a line to standard error, once.
    package func warn(_ line: String) {
        desk.warn(line)
    }

    private static var systemIdentifier: String {
        if let identifier = ProcessInfo.processInfo.environment["EARSHOT_APP_ID"], !identifier.isEmpty {
            return identifier
        }
        return CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "earshot"
    }
}
