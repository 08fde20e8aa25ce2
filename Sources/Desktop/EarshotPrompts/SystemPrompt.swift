public import EarshotMessages

/// Asks a consent question on the terminal if the program is in its foreground, or else by a notification on the
/// desktop.
///
///     let configuration = MessageManager.Configuration.system(media: media, prompt: SystemPrompt())
public struct SystemPrompt: ConsentPrompt {
    private let terminal: TerminalPrompt
    private let notification: NotificationPrompt

    /// A prompt on standard input and standard error, and on the user's desktop.
    /// - Parameter applicationIdentifier: see `NotificationPrompt`.
    public init(applicationIdentifier: String? = nil) {
        self.init(
            terminal: TerminalPrompt(), notification: NotificationPrompt(applicationIdentifier: applicationIdentifier))
    }

    package init(terminal: TerminalPrompt, notification: NotificationPrompt) {
        self.terminal = terminal
        self.notification = notification
    }

    /// Why neither can ask; nil if one of them can.
    public var obstacle: String? {
        get async {
            guard let onTerminal = terminal.obstacle, let onDesktop = await notification.obstacle else { return nil }
            return "\(onTerminal). Nor can a notification ask: \(onDesktop)"
        }
    }

    /// Asks on the terminal if it can, or else by a notification.
    /// - Returns: see these prompts.
    public func ask(_ question: ConsentQuestion) async -> Bool? {
        terminal.obstacle == nil ? await terminal.ask(question) : await notification.ask(question)
    }
}
