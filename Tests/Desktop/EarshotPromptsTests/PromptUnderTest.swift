import EarshotDBus
import EarshotDiscovery
import EarshotMessages
import EarshotNotifications
import EarshotPrompts
import MessagesTestSupport
import TestSupport

/// Consent by a prompt on a bus, with the lines that it writes.
struct PromptUnderTest {
    let scratch: ScratchFolder
    let notification: NotificationPrompt
    let consent: Consent
    /// The lines of consent and of the notifications on standard error.
    let lines = Lines()
    let purpose = ConsentPurpose(applicationIdentifier: "app", mode: .both)

    /// - Parameter terminal: the terminal on which the prompt asks if it can; nil for a prompt by notifications alone.
    init(_ bus: DBusBus, terminal: TerminalPrompt? = nil) throws {
        scratch = try ScratchFolder()
        let lines = lines
        var limits = NotificationLimits()
        // A busy machine must not make a service look slow.
        limits.answerTime = .seconds(30)
        notification = NotificationPrompt(
            center: UserNotificationCenter(
                applicationIdentifier: "app", limits: limits, bus: bus,
                output: NotificationOutput {
                    lines.add($0)
                } journal: { _, _ in
                }))
        let prompt: any ConsentPrompt =
            if let terminal { SystemPrompt(terminal: terminal, notification: notification) } else { notification }
        consent = Consent(
            applicationIdentifier: "app", configurationFolder: scratch.path, prompt: prompt, warn: { lines.add($0) })
    }
}
