public import EarshotMessages
package import EarshotNotifications

/// Asks a consent question by a notification with the buttons "Allow" and "Deny". It stays until the user decides.
///
///     let configuration = MessageManager.Configuration.system(media: media, prompt: NotificationPrompt())
public struct NotificationPrompt: ConsentPrompt {
    private static let allow = NotificationAction(identifier: "allow", title: "Allow")
    private static let deny = NotificationAction(identifier: "deny", title: "Deny")

    private let center: UserNotificationCenter

    /// A prompt on the user's desktop. It connects at its first use.
    /// - Parameter applicationIdentifier: the name of the application's desktop file without `.desktop`; nil for the variable
    ///   `EARSHOT_APP_ID`, or else the program's name.
    public init(applicationIdentifier: String? = nil) {
        self.init(center: UserNotificationCenter(applicationIdentifier: applicationIdentifier))
    }

    package init(center: UserNotificationCenter) {
        self.center = center
    }

    /// Why no notification can ask: there is no session bus, or no program that shows notifications with buttons.
    public var obstacle: String? {
        get async {
            let settings = await center.requestAuthorization(options: .alert)
            if let problem = settings.problem { return "\(problem)" }
            return settings.capabilities.contains("actions")
                ? nil : "the program that shows notifications shows no buttons; use another, such as dunst"
        }
    }

    /// Shows the question with its explanation, and removes it after the answer, or if the task is cancelled.
    /// - Returns: true for "Allow", false for "Deny"; nil if the user or the desktop closed the notification, if the task was
    ///   cancelled, or if no notification was shown. Standard error then has the text and the reason.
    public func ask(_ question: ConsentQuestion) async -> Bool? {
        // Several parts of a program may share this prompt, and a question must not replace another.
        let identifier = "consent \(UInt64.random(in: 0 ... .max))"
        let content = NotificationContent(
            title: "Allow or deny?", body: "\(question.text)\n\n\(question.explanation)",
            actions: [Self.allow, Self.deny], defaultActionTitle: nil,
            // Some desktops remove less urgent ones after seconds, regardless of their duration.
            urgency: .critical, duration: .unlimited)
        await center.requestAuthorization(options: .alert)
        do throws(NotificationError) {
            let shown = try await center.add(NotificationRequest(identifier: identifier, content: content))
            let answer = await Self.answer(in: shown.events)
            await center.removeDeliveredNotifications(withIdentifiers: [identifier])
            return answer
        } catch {
            center.warn("\(error)")
            return nil
        }
    }

    /// The first click on a button; nil if the notification, or the task, ends before.
    private static func answer(in events: AsyncStream<NotificationEvent>) async -> Bool? {
        for await event in events {
            switch event {
            case .action(allow.identifier): return true
            case .action(deny.identifier): return false
            default: continue
            }
        }
        return nil
    }
}
