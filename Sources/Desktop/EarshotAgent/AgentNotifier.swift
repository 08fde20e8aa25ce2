/// A notification about something that was found for an app which does not run.
public struct AgentNotification: Sendable, Hashable {
    /// The app whose manifest asks for it.
    public var app: String
    /// Unique within the app. A notification with the identifier of one that is shown replaces it.
    public var identifier: String
    /// The first line.
    public var title: String
    /// The text below. It may come from a stranger.
    public var body: String
    /// The sound: `default`, one of the desktop's theme, or the absolute path of a file; nil for silence.
    public var sound: String? = "default"
    /// The number on the app's icon, 0 for none; nil to leave it as it is.
    public var badge: Int?
}

/// What became of a notification.
public enum AgentNotificationOutcome: Sendable, Hashable {
    /// The desktop shows it.
    case shown
    /// The user clicked it. The token lets the app's window come to the front; nil if the desktop gives none.
    case clicked(activationToken: String?)
    /// There is no desktop that shows it.
    case notShown
}

/// Shows notifications of apps that do not run. `earshot-agent` implements it with the desktop's service.
public protocol AgentNotifier: Sendable {
    /// Shows a notification. Must not block.
    /// - Parameters:
    ///   - notification: what to show.
    ///   - onOutcome: called with `shown` or `notShown`, and then, if the user clicks it, with `clicked`.
    func show(_ notification: AgentNotification, onOutcome: @escaping @Sendable (AgentNotificationOutcome) -> Void)

    /// Removes all notifications of an app: it runs again and has what they tell of. Must not block.
    func removeAll(of app: String)
}

/// Shows nothing, so that apps are started at once.
public struct NoNotifier: AgentNotifier {
    /// A notifier without state.
    public init() {}

    /// Says that nothing is shown.
    public func show(
        _ notification: AgentNotification, onOutcome: @escaping @Sendable (AgentNotificationOutcome) -> Void
    ) { onOutcome(.notShown) }

    /// Does nothing.
    public func removeAll(of app: String) {}
}
