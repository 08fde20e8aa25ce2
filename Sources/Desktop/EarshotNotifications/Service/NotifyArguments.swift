import EarshotDBus

/// The arguments of `Notify`, as far as the service's capabilities allow.
///
/// Source: Desktop Notifications Specification 1.2, "Protocol".
struct NotifyArguments {
    var values: [DBusValue]

    init(
        _ content: NotificationContent, replacing number: UInt32?, application: String, capabilities: Set<String>,
        options: NotificationOptions, limits: NotificationLimits
    ) {
        var summary = NotificationText.cleaned(content.title, maximumScalarCount: limits.titleScalarCount)
        var body = NotificationText.cleaned(
            content.body, maximumScalarCount: limits.bodyScalarCount, keepsLines: true)
        if summary.isEmpty {
            summary = NotificationText.cleaned(application, maximumScalarCount: limits.titleScalarCount)
        }
        if !capabilities.contains("body"), !body.isEmpty {
            summary = NotificationText.cleaned(
                "\(summary): \(body)", maximumScalarCount: limits.titleScalarCount + limits.bodyScalarCount)
            body = ""
        }
        if capabilities.contains("body-markup") { body = NotificationText.escaped(body) }

        values = [
            .string(application), .uint32(number ?? 0), .string(""), .string(summary), .string(body),
            .array(of: "s", Self.actions(content, capabilities, limits)),
            .properties(Self.hints(content, application, options)), .int32(Self.timeout(content.duration)),
        ]
    }

    /// Pairs of identifiers and titles.
    private static func actions(
        _ content: NotificationContent, _ capabilities: Set<String>, _ limits: NotificationLimits
    ) -> [DBusValue] {
        guard capabilities.contains("actions") else { return [] }
        let click = content.defaultActionTitle.map {
            [NotificationAction(identifier: NotificationAction.defaultIdentifier, title: $0)]
        }
        let buttons = content.actions.filter { $0.identifier != NotificationAction.defaultIdentifier }
        return ((click ?? []) + buttons.prefix(limits.actionCount)).flatMap { action in
            [action.identifier, action.title].map {
                .string(NotificationText.cleaned($0, maximumScalarCount: limits.titleScalarCount))
            }
        }
    }

    private static func hints(
        _ content: NotificationContent, _ application: String, _ options: NotificationOptions
    ) -> [String: DBusValue] {
        var hints: [String: DBusValue] = [
            "urgency": .byte(content.urgency.rawValue), "desktop-entry": .string(application),
        ]
        // A service ignores unknown hints.
        switch options.contains(.sound) ? content.sound : nil {
        case nil: hints["suppress-sound"] = .boolean(true)
        case .default: hints["sound-name"] = .string("message-new-instant")
        case .named(let name):
            let name = NotificationText.cleaned(name, maximumScalarCount: 4_096)
            hints[name.hasPrefix("/") ? "sound-file" : "sound-name"] = .string(name)
        }
        return hints
    }

    /// In milliseconds; -1 for the service's default, 0 for never.
    private static func timeout(_ duration: NotificationDuration) -> Int32 {
        switch duration {
        case .systemDefault: return -1
        case .unlimited: return 0
        case .limited(let duration):
            let (seconds, attoseconds) = duration.components
            // The maximum is a day: more would not fit into 32 bits.
            let milliseconds = min(max(seconds, 0), 86_400) * 1_000 + max(attoseconds, 0) / 1_000_000_000_000_000
            return Int32(clamping: max(1, milliseconds))
        }
    }
}
