/// A bus to connect to.
package enum DBusBus: Sendable, Hashable {
    /// The system's bus, or the one in `DBUS_SYSTEM_BUS_ADDRESS`.
    case system
    /// The user's bus, of `DBUS_SESSION_BUS_ADDRESS`.
    case session
    /// A bus at an address, such as `unix:path=/run/bus`.
    case address(String)
}

/// A signal that arrived.
package struct DBusSignal: Sendable, Hashable {
    /// The unique name of the sender, such as `:1.5`.
    package var sender: String
    package var path: String
    package var interface: String
    package var member: String
    package var arguments: [DBusValue]
}

/// A call of a method of an object that this program exports.
package struct DBusCall: Sendable, Hashable {
    /// The unique name of the caller, such as `:1.5`.
    package var sender: String
    package var path: String
    package var interface: String
    package var member: String
    package var arguments: [DBusValue]
}

/// The signals to receive: those that match all given parts.
package struct DBusMatch: Sendable, Hashable {
    /// The sender's unique or well-known name.
    package var sender: String?
    package var path: String?
    /// The path of an object, whose signals and those of the objects below it match.
    package var pathNamespace: String?
    package var interface: String?
    package var member: String?
    /// The first argument, a text.
    package var firstArgument: String?

    package init(
        sender: String? = nil, path: String? = nil, pathNamespace: String? = nil, interface: String? = nil,
        member: String? = nil, firstArgument: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.pathNamespace = pathNamespace
        self.interface = interface
        self.member = member
        self.firstArgument = firstArgument
    }

    /// The rule in D-Bus's syntax.
    var rule: String {
        let parts: [(String, String?)] = [
            ("sender", sender), ("path", path), ("path_namespace", pathNamespace), ("interface", interface),
            ("member", member), ("arg0", firstArgument),
        ]
        // An apostrophe ends the quoted text, so it is written outside of it, after a backslash.
        let quoted = parts.compactMap { key, value in
            value.map {
                "\(key)='\($0.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
            }
        }
        return (["type='signal'"] + quoted).joined(separator: ",")
    }
}
