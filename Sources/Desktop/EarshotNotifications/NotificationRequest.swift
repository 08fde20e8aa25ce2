/// A notification to show.
public struct NotificationRequest: Sendable, Hashable {
    /// The name of the notification. A request with the identifier of a shown one replaces it.
    public var identifier: String
    /// The content.
    public var content: NotificationContent

    /// A request of these values.
    public init(identifier: String, content: NotificationContent) {
        self.identifier = identifier
        self.content = content
    }
}
