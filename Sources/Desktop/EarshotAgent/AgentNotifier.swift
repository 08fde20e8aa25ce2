/// A notification about an event for an app that is not running, or one that the app lets the agent show.
public struct AgentNotification: Sendable, Hashable {
    /// The app whose manifest asks for it.
    public var app: String
    /// Unique within the app. The notification replaces a shown one with the same identifier.
    public var identifier: String
    /// The first line.
    public var title: String
    /// The text below. It may come from a stranger.
    public var body: String
    /// The sound: `default`, one of the desktop's theme, or the absolute path of a file; nil for silence.
    public var sound: String? = "default"
    /// The number on the app's icon, 0 for none; nil for no change.
    public var badge: Int?
    /// What a click does, in words.
    public var action = "Open"
    /// Whether the app itself has asked for it. It then stays when the app runs again.
    public var isOfTheApp = false
}

/// The outcome of a notification.
public enum AgentNotificationOutcome: Sendable, Hashable {
    /// The desktop shows it.
    case shown
    /// The user clicked it. With the token, the app's window may come to the front; nil if the desktop gives none.
    case clicked(activationToken: String?)
    /// It was closed without a click.
    case closed
    /// No desktop shows it.
    case notShown
}

/// Shows notifications of apps that are not running. `earshot-agent` implements it with the desktop's service.
public protocol AgentNotifier: Sendable {
    /// Shows a notification. Must not block.
    /// - Parameters:
    ///   - notification: the notification.
    ///   - onOutcome: called with `shown` or `notShown`; after `shown` with `clicked` or `closed`, or with `notShown` if the desktop ends.
    func show(_ notification: AgentNotification, onOutcome: @escaping @Sendable (AgentNotificationOutcome) -> Void)

    /// Removes the notifications of an app, which runs again and has received their events, except those that it asked for itself.
    /// Must not block.
    func removeAll(of app: String)

    /// Removes a notification. Must not block.
    func remove(_ notification: AgentNotification)
}

/// Shows no notifications, so apps are started at once.
public struct NoNotifier: AgentNotifier {
    /// A notifier without state.
    public init() {}

    /// Reports that the notification is not shown.
    public func show(
        _ notification: AgentNotification, onOutcome: @escaping @Sendable (AgentNotificationOutcome) -> Void
    ) { onOutcome(.notShown) }

    /// Does nothing.
    public func removeAll(of app: String) {}

    /// Does nothing.
    public func remove(_ notification: AgentNotification) {}
}
