/// The means by which an application wants to tell its user something.
public struct NotificationOptions: OptionSet, Sendable, Hashable {
    /// The bits: 1 for the badge, 2 for sound, 4 for alerts.
    public let rawValue: UInt

    /// Options of these bits; other bits have no effect.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// A number on the application's icon.
    public static let badge = NotificationOptions(rawValue: 1)
    /// A sound with an alert.
    public static let sound = NotificationOptions(rawValue: 2)
    /// A text on the screen.
    public static let alert = NotificationOptions(rawValue: 4)
}

/// What the application asked for and the desktop can do.
public struct NotificationSettings: Sendable, Hashable {
    /// Whether one means is used.
    public enum Setting: Sendable, Hashable {
        /// The application asked for it, and the desktop has it.
        case enabled
        /// The desktop has it, but the application did not ask for it.
        case disabled
        /// The desktop does not have it, or does not say that it has.
        case notSupported
    }

    /// Texts: needs a notification service on the session bus.
    public var alert: Setting
    /// Sounds: the service must name the capability `sound`. Some services play sounds without naming it.
    public var sound: Setting
    /// Badges: needs a launcher that understands Unity's LauncherEntry.
    public var badge: Setting
    /// The capabilities that the service names, such as `actions` and `body-markup`; empty without a service.
    public var capabilities: Set<String>
    /// Why texts cannot be shown; nil if they can.
    public var problem: NotificationProblem?
}
