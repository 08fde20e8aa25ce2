/// Why a notification cannot be shown. Its text is written to standard error instead, so it is not lost.
public enum NotificationProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no session bus, or it closed the connection.
    case noBus(String)
    /// There is a bus without a notification service.
    case noService(String)
    /// The service does not answer in time.
    case slowService
    /// The service refused the notification.
    case refused(String)
    /// The application has not requested alerts, see `UserNotificationCenter.requestAuthorization`.
    case notAuthorized

    /// The reason and the remedy, for people.
    public var description: String {
        switch self {
        case .noBus(let detail):
            "there is no session bus (\(detail)); log in to a desktop, or set DBUS_SESSION_BUS_ADDRESS"
        case .noService(let detail):
            "no program shows notifications (\(detail)); start one, such as dunst"
        case .slowService: "the program that shows notifications does not answer in time"
        case .refused(let detail): "the program that shows notifications refused one (\(detail))"
        case .notAuthorized: "the application did not ask for alerts"
        }
    }

    /// The name of the kind, so that each kind is reported once.
    var kind: String {
        switch self {
        case .noBus: "noBus"
        case .noService: "noService"
        case .slowService: "slowService"
        case .refused: "refused"
        case .notAuthorized: "notAuthorized"
        }
    }
}

/// The reason why a request has no effect.
public enum NotificationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There are more notifications than `NotificationLimits` allows, and the text was not shown. Try again later.
    case tooMany
    /// The desktop does not support badges.
    case badgeNotSupported

    /// The text for people.
    public var description: String {
        switch self {
        case .tooMany: "The notification is not shown: too many were sent in a short time."
        case .badgeNotSupported:
            "The desktop shows no badge: no launcher understands com.canonical.Unity.LauncherEntry."
        }
    }
}
