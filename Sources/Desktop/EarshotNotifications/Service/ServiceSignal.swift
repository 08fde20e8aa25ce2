import EarshotDBus

/// A signal that concerns the desktop's notification service.
enum ServiceSignal: Sendable, Hashable {
    /// The service's name has a new owner, or none.
    case owner(String?)
    /// An event of the notification with a number.
    case event(NotificationEvent, number: UInt32, sender: String)
    /// The connection is closed.
    case closed

    static let name = "org.freedesktop.Notifications"
    static let path = "/org/freedesktop/Notifications"
    private static let maximumTokenByteCount = 1_024

    /// The signals to receive.
    static let matches = [
        DBusMatch(
            sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
            firstArgument: name),
        DBusMatch(path: path, interface: name),
    ]

    /// - Returns: nil for a signal of another kind or form. Any program on the bus can send any signal.
    init?(_ signal: DBusSignal) {
        let arguments = signal.arguments
        switch (signal.interface, signal.member) {
        case ("org.freedesktop.DBus", "NameOwnerChanged"):
            guard signal.sender == "org.freedesktop.DBus", arguments.count == 3, arguments[0].text == Self.name,
                let owner = arguments[2].text
            else { return nil }
            self = .owner(owner.isEmpty ? nil : owner)
        case (Self.name, "ActionInvoked"):
            guard arguments.count >= 2, case .uint32(let number) = arguments[0], let action = arguments[1].text else {
                return nil
            }
            self = .event(.action(identifier: action), number: number, sender: signal.sender)
        case (Self.name, "ActivationToken"):
            guard arguments.count >= 2, case .uint32(let number) = arguments[0], let token = arguments[1].text,
                !token.isEmpty, token.utf8.count <= Self.maximumTokenByteCount
            else { return nil }
            self = .event(.activationToken(token), number: number, sender: signal.sender)
        case (Self.name, "NotificationClosed"):
            guard arguments.count >= 2, case .uint32(let number) = arguments[0], let reason = arguments[1].integer
            else { return nil }
            self = .event(.closed(NotificationCloseReason(number: reason)), number: number, sender: signal.sender)
        default: return nil
        }
    }
}
