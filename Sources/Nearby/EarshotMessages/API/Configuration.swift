public import EarshotBasics
public import EarshotDiscovery
public import Foundation
public import NearbyWire

extension MessageManager {
    /// The service, media, permission and log of a manager.
    public struct Configuration: Sendable {
        /// The address of the service, without `/v1`. Use `https` for any host except loopback: over `http`, others on
        /// the network can read keys and messages.
        public var serviceURL: URL {
            didSet { serviceRefusal = nil }
        }
        /// The application that asks for consent. The consent question shows it, and the folder with the answer has its
        /// name.
        public var applicationIdentifier: String
        /// Makes the media of discovery. Called once, after consent, when an operation first needs a medium.
        public var media: @Sendable () -> [any DiscoveryMedium]
        /// The devices that the environment or the user's files name.
        public var devices = MediaDevices()
        /// Makes the source of beacons. Called once, after consent, when a subscription first looks for beacons. nil, or a result
        /// of nil, if this program has none: the manager then reports `ManagerProblem.Kind.unsupportedMedium`.
        public var beacons: (@Sendable () -> (any BeaconSource<DiscoveryProblem>)?)?
        /// Decides before anything is opened, played or sent.
        public var permission: any PermissionGate
        /// The shortest pause after a failed request, and the longest that it grows to.
        public var backOff = BackOff.Bounds()
        /// Receives a line for people at each step; nil for none. Lines contain no key, session, token or content.
        public var log: (@Sendable (String) -> Void)?
        /// Why the service that the environment names cannot be used, and what to do; nil if it can. The manager then uses no
        /// service at all. Another `serviceURL` ends it.
        package private(set) var serviceRefusal: String?
        /// The agent that runs operations which are allowed in the background; nil to run them in this process, as long
        /// as it lives.
        public var agent: BackgroundAgent?
        /// Follows whether the app is in the foreground: operations that are not allowed in the background then stop
        /// when it leaves the foreground, and continue when it returns. nil to run them as long as the process lives.
        public var foreground: Foreground?
        /// The values that only programs and tests of this package set.
        package var internals = Internals()

        /// The access to the service over HTTP.
        package func webService(key: String) -> any MessageService {
            HTTPMessageService(url: serviceURL, key: key, pace: internals.pace, refusal: serviceRefusal)
        }

        /// A configuration of these values; see the properties of the same names.
        public init(
            serviceURL: URL, applicationIdentifier: String,
            media: @escaping @Sendable () -> [any DiscoveryMedium],
            permission: any PermissionGate, log: (@Sendable (String) -> Void)? = nil
        ) {
            self.serviceURL = serviceURL
            self.applicationIdentifier = applicationIdentifier
            self.media = media
            self.permission = permission
            self.log = log
        }

        /// The configuration that the process's environment and the user's configuration files describe.
        ///
        /// | | first | then, in `$XDG_CONFIG_HOME/earshot` | otherwise |
        /// |---|---|---|---|
        /// | service | `EARSHOT_SERVICE` | `url` in `service.json` | `http://127.0.0.1:8787` |
        /// | microphone | `EARSHOT_DEVICE` | `device` in `sound.json` | `default` |
        /// | loudspeaker | `EARSHOT_PLAYBACK` | `playback` in `sound.json` | `default` |
        /// | Bluetooth adapter | `EARSHOT_ADAPTER` | `adapter` in `bluetooth.json` | the first that works |
        /// | application | `EARSHOT_APP_ID` | | the program's name |
        /// | permission | `Consent` of that application, with the prompt | | |
        ///
        /// If the named service is not an `http` or `https` URL, the manager uses none: it reports the problem
        /// `serviceInvalid`, and standard error says so. An invalid `sound.json` or `bluetooth.json` is ignored, and
        /// standard error says so.
        ///
        ///     .system(media: { [SoundMedium(microphone: $0.microphone, loudspeaker: $0.loudspeaker)] })
        /// - Parameters:
        ///   - media: makes the media of discovery from the devices named above; see the property of the same name.
        ///   - prompt: asks the user if an operation has no consent handler; nil to ask nothing. `SystemPrompt` of `EarshotPrompts`
        ///     asks on a desktop too.
        ///   - log: receives lines for people, see `log`.
        public static func system(
            media: @escaping @Sendable (MediaDevices) -> [any DiscoveryMedium],
            prompt: (any ConsentPrompt)? = TerminalPrompt(), log: (@Sendable (String) -> Void)? = nil
        ) -> Configuration {
            let settings = SystemSettings(environment: ProcessInfo.processInfo.environment)
            let consent = Consent(applicationIdentifier: settings.applicationIdentifier, prompt: prompt, log: log)
            return Configuration(settings, media: media, permission: consent, log: log)
        }

        init(
            _ settings: SystemSettings, media: @escaping @Sendable (MediaDevices) -> [any DiscoveryMedium],
            permission: any PermissionGate, log: (@Sendable (String) -> Void)? = nil,
            warn: @escaping @Sendable (String) -> Void = StandardError.warn
        ) {
            let devices = settings.devices
            let warnings = [settings.soundWarning, settings.adapterWarning].compactMap(\.self)
            self.init(
                serviceURL: settings.serviceURL, applicationIdentifier: settings.applicationIdentifier,
                media: {
                    for warning in warnings { warn(warning) }
                    return media(devices)
                }, permission: permission, log: log)
            serviceRefusal = settings.serviceRefusal
            self.devices = devices
            internals.warn = warn
        }
    }

    /// The part of a configuration that apps do not see.
    package struct Internals: Sendable {
        /// Whether this process is the agent, whose operations are in the background already.
        package var isAgent = false
        /// Replaces HTTP: the agent resumes sessions, and tests have a service in memory.
        package var service: (@Sendable (_ key: String) -> any MessageService)?
        /// The durations that tests shorten.
        package var pace = Pace()
        /// Receives lines that the user must see even without a log.
        package var warn = StandardError.warn
        /// Creates the clocks of a manager; tests set theirs.
        var timeline: @Sendable () -> Timeline = { Timeline() }
    }

    /// Durations that programs need not configure.
    package struct Pace: Sendable {
        /// How long the medium plays each of several tokens.
        package var tokenTurn = Duration.seconds(4)
        /// The time to live of a publication or subscription at the service, without a renewal.
        package var lease = Duration.seconds(300)
        /// The time limit of one request. A message of maximum size then needs a connection of 40 kbit/s.
        package var requestTimeout = Duration.seconds(30)
        /// An event stream that is silent for this long counts as dead.
        package var streamTimeout = Duration.seconds(45)
        /// How long a newly heard token waits for others, to be reported together with them.
        package var reportDelay = Duration.milliseconds(200)
        /// A token that stays near is reported again after this time.
        package var sightingRenewal = Duration.seconds(60)
        /// While the service counts a token as heard and no event stream is open, the device reports at least this
        /// often. The service considers a device gone after 15 s of silence, so two reports may fail.
        package var signOfLife = Duration.seconds(5)
        /// If a stream opens after this long without an event or a report, the service may have marked near devices as
        /// lost, which it does at the earliest 15 s after the last of them. Comments of an open stream come every 15 s.
        package var outage = Duration.seconds(14)
        /// How long a message that the service forgot may take to reappear before it is lost.
        package var doubt = Duration.seconds(40)

        /// How long the service's answer about a beacon is valid, also an answer without messages.
        package var attachmentMemory = Duration.seconds(600)

        package init() {}
    }
}
