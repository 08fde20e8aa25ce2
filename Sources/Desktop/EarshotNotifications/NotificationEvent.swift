/// The events of a shown notification.
public enum NotificationEvent: Sendable, Hashable {
    /// The user clicked an action, or, with `NotificationAction.defaultIdentifier`, the notification itself.
    case action(identifier: String)
    /// Comes before the action of the same click, if the desktop gives a token: a program that gets it as
    /// `XDG_ACTIVATION_TOKEN` may bring its window to the front.
    case activationToken(String)
    /// It is no longer shown. No event follows.
    case closed(NotificationCloseReason)
}

/// Why a notification is no longer shown.
public enum NotificationCloseReason: Sendable, Hashable {
    /// Its time is over.
    case expired
    /// The user closed it.
    case dismissed
    /// This program closed it.
    case removed
    /// Another request with the same identifier replaced it.
    case replaced
    /// It was the oldest when there were more open notifications than `NotificationLimits.openCount`.
    case tooMany
    /// The desktop's notification service, the bus or the program's center is gone, so no further event can come.
    case serviceLeft
    /// The desktop gave no reason.
    case unknown

    /// The reason for a number in `NotificationClosed`.
    init(number: Int) {
        switch number {
        case 1: self = .expired
        case 2: self = .dismissed
        case 3: self = .removed
        default: self = .unknown
        }
    }
}
