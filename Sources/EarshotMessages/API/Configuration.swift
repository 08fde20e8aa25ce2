public import EarshotDiscovery
public import Foundation

extension MessageManager {
    /// What a manager works with.
    public struct Configuration: Sendable {
        /// Where the service is. `https`, but for loopback: else keys and messages are readable on the way.
        public var serviceURL: URL
        /// Who asks for consent, and whose settings are used.
        public var applicationIdentifier: String
        /// The ways to find and be found. Called once, after consent, when something is first needed.
        public var media: @Sendable () -> [any DiscoveryMedium]
        /// Asked before anything is opened or sent.
        public var permission: any PermissionGate
        /// The least pause after a failure, and what it grows to.
        public var backOff = BackOff.Bounds()
        /// Gets a line for people whenever something happens. No key, session, token or content is in it.
        public var log: (@Sendable (String) -> Void)?
        /// Instead of HTTP; for tests, which have no service.
        package var service: (@Sendable (_ key: String) -> any MessageService)?
        /// The times that tests cannot wait for.
        package var pace = Pace()

        /// See the properties of the same names.
        public init(
            serviceURL: URL, applicationIdentifier: String,
            media: @escaping @Sendable () -> [any DiscoveryMedium] = { [SoundMedium()] },
            permission: any PermissionGate, log: (@Sendable (String) -> Void)? = nil
        ) {
            self.serviceURL = serviceURL
            self.applicationIdentifier = applicationIdentifier
            self.media = media
            self.permission = permission
            self.log = log
        }

        /// The configuration that the process's environment describes.
        ///
        /// | | first | then | otherwise |
        /// |---|---|---|---|
        /// | service | `EARSHOT_SERVICE` | `url` in `$XDG_CONFIG_HOME/earshot/service.json` | `http://127.0.0.1:8787` |
        /// | application | `EARSHOT_APP_ID` | | the program's name |
        /// | permission | `Consent` of that application, with the prompt | | |
        ///
        /// A value that is no `http` or `https` URL is ignored, with a line in the log.
        /// - Parameters:
        ///   - prompt: asks the user if an operation has no consent handler; nil to ask nothing.
        ///   - log: receives lines for people, see `log`.
        public static func system(
            prompt: (any ConsentPrompt)? = nil, log: (@Sendable (String) -> Void)? = nil
        ) -> Configuration {
            let found = SystemSettings(environment: ProcessInfo.processInfo.environment)
            for note in found.notes { log?(note) }
            let consent = Consent(applicationIdentifier: found.applicationIdentifier, prompt: prompt, log: log)
            return Configuration(
                serviceURL: found.serviceURL, applicationIdentifier: found.applicationIdentifier, permission: consent,
                log: log)
        }
    }

    /// How long things take that need not be configured.
    package struct Pace: Sendable {
        /// How long each of several tokens is said.
        package var tokenTurn = Duration.seconds(4)
        /// Where a medium was opened anew, what was near before is gone unless it is heard again within that time. Longer than
        /// a device that talks seldom is silent, in a room that is not crowded.
        package var confirmation = Duration.seconds(15)
        /// How long a publication and a subscription live at the service without a word from us.
        package var lease = Duration.seconds(300)
        /// A request takes no longer. The largest message then needs a line of 40 kbit/s.
        package var requestTimeout = Duration.seconds(30)
        /// An event stream is dead that was silent for so long.
        package var streamTimeout = Duration.seconds(45)
        /// How long heard tokens wait for others to be reported together.
        package var reportDelay = Duration.milliseconds(200)
        /// A token that is still near is reported again after that.
        package var sightingRenewal = Duration.seconds(60)
        /// A service that could not be told for so long what is heard may take it for lost: it counts a report for 90 s, of which
        /// up to `sightingRenewal` had passed.
        package var outage = Duration.seconds(25)
        /// How long a message that the service forgot has to come again before it is lost.
        package var doubt = Duration.seconds(40)

        package init() {}
    }
}
