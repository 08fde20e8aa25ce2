public import EarshotMessages

/// Tells the user of a message that was found for an app that does not run. Another part of the program implements it, for
/// the desktop's notifications.
public protocol AgentNotifier: Sendable {
    /// The agent found a message and cannot start the app at once: its manifest names no command, or the app was started too
    /// often. Must not block.
    func found(_ message: ReceivedMessage, for app: String)
}

/// Tells nothing.
public struct NoNotifier: AgentNotifier {
    /// A notifier without state.
    public init() {}

    /// Does nothing.
    public func found(_ message: ReceivedMessage, for app: String) {}
}
