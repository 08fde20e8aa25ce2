/// A notification to show.
public struct NotificationRequest: Sendable, Hashable {
    /// Names the notification. A request with the identifier of one that is shown replaces it.
    public var identifier: String
    /// What it says.
    public var content: NotificationContent

    /// A request of these values.
    public init(identifier: String, content: NotificationContent) {
        self.identifier = identifier
        self.content = content
    }
}
