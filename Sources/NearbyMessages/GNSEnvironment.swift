package import EarshotMessages
import EarshotTerminalConsent

/// What the original interface has no argument for: where the service is, which media there are, where the permission is kept, and
/// where the debug log goes.
///
/// Tests run what is to work in another one:
///
///     GNSEnvironment.$current.withValue(environment) { GNSMessageManager(apiKey: "…") }
package struct GNSEnvironment: Sendable {
    /// What managers work with. The permission and the log in it are replaced by those below.
    package var configuration: MessageManager.Configuration
    /// Asks, and keeps the answer: one for all managers, so that two do not ask at once.
    package var consent: Consent
    /// Gets the lines of the debug log, and decides whether it is on.
    package var log: @Sendable (String) -> Void

    /// See the properties of the same names.
    package init(
        configuration: MessageManager.Configuration, consent: Consent, log: @escaping @Sendable (String) -> Void
    ) {
        (self.configuration, self.consent, self.log) = (configuration, consent, log)
        self.configuration.permission = consent
        self.configuration.log = log
    }

    /// The one in force.
    @TaskLocal package static var current = system

    /// The environment of the process, see `MessageManager.Configuration.system`.
    ///
    /// The phone's system asked the user on behalf of the original module, and apps written for it cannot pass a prompt. So this module
    /// passes one: it asks on the terminal if the app has no dialog of its own.
    private static let system = {
        let log = GNSDebugLog.standardError
        let configuration = MessageManager.Configuration.system(log: log)
        let consent = Consent(
            applicationIdentifier: configuration.applicationIdentifier, prompt: TerminalPrompt(), log: log)
        return GNSEnvironment(configuration: configuration, consent: consent, log: log)
    }()
}
