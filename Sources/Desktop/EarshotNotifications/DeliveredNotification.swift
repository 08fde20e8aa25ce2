/// A notification that was shown, or written to standard error.
public struct DeliveredNotification: Sendable {
    /// The place where the text was shown.
    public enum Place: Sendable, Hashable {
        /// The desktop shows it.
        case desktop
        /// The desktop could not show it.
        case standardError(NotificationProblem)
    }

    /// The identifier of the request.
    public let identifier: String
    /// The place where the text was shown.
    public let place: Place
    /// The events of this notification: clicks, then its end. The stream is for one reader. It ends at once if the
    /// notification is not on the desktop. At most 16 events wait for the reader; the oldest are dropped.
    public let events: AsyncStream<NotificationEvent>

    init(identifier: String, place: Place, events: AsyncStream<NotificationEvent>? = nil) {
        self.identifier = identifier
        self.place = place
        self.events = events ?? AsyncStream { $0.finish() }
    }
}
