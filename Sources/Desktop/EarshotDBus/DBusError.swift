/// Why a call failed.
package enum DBusError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The other side answered with an error, such as `org.freedesktop.DBus.Error.AccessDenied`, and a text for people.
    case refused(name: String, text: String)
    /// The answer did not come in time, or the other side left before it answered.
    case noReply
    /// The connection to the bus is closed, or could not be opened.
    case disconnected(String)
    /// The calling task was cancelled.
    case cancelled
    /// A message cannot be created or read: it has an invalid name, an unsupported type, or is too large.
    case malformed(String)

    /// The text for people.
    package var description: String {
        switch self {
        case .refused(let name, let text): text.isEmpty ? name : "\(text) (\(name))"
        case .noReply: "no answer"
        case .disconnected(let reason): "no connection to the bus: \(reason)"
        case .cancelled: "cancelled"
        case .malformed(let reason): reason
        }
    }

    /// Whether the system denies the call.
    package var isAccessDenied: Bool {
        guard case .refused(let name, _) = self else { return false }
        return ["AccessDenied", "NotAuthorized", "AuthFailed"].contains {
            name.hasSuffix(".\($0)")
        }
    }

    /// Whether the other side answered with an error whose name has this suffix, such as `AlreadyExists`.
    package func isRefusal(_ suffix: String) -> Bool {
        guard case .refused(let name, _) = self else { return false }
        return name.hasSuffix(".\(suffix)")
    }
}
