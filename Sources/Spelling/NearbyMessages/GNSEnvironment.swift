import EarshotBluetooth
import EarshotDiscovery
package import EarshotMessages
import EarshotPrompts
import EarshotSound
import Foundation
import NearbyWire
import UIKitNames

/// The service, the media, the permission and the debug log, for which the original interface has no arguments.
///
/// Tests replace it:
///
///     GNSEnvironment.$current.withValue(environment) { GNSMessageManager(apiKey: "…") }
package struct GNSEnvironment: Sendable {
    /// The configuration of managers, with the permission and the log below.
    package var configuration: MessageManager.Configuration
    /// Asks for consent and stores the answer. All managers share it, so that two do not ask at once.
    package var consent: Consent
    /// Receives the lines of the debug log, and drops them while it is off.
    package var log: @Sendable (String) -> Void
    /// Receives lines that the user must see although the debug log is off.
    package var warn: @Sendable (String) -> Void

    /// An environment of these values; see the properties of the same names.
    package init(
        configuration: MessageManager.Configuration, consent: Consent, log: @escaping @Sendable (String) -> Void,
        warn: @escaping @Sendable (String) -> Void = StandardError.warn
    ) {
        (self.configuration, self.consent, self.log, self.warn) = (configuration, consent, log, warn)
        self.configuration.permission = consent
        self.configuration.log = log
        self.configuration.internals.warn = warn
    }

    /// The environment of new managers and permissions.
    @TaskLocal package static var current = system

    /// The environment of the process, see `MessageManager.Configuration.system`, with sound and Bluetooth.
    ///
    /// Devices and beacons share one adapter. A machine without Bluetooth uses sound, and writes a line to the debug
    /// log.
    ///
    /// Operations that are allowed in the background run in the user's agent, if there is one. The others stop while
    /// the app is in the background, by `UIApplication.applicationState`, and resume when it returns.
    ///
    /// If the app's manifest lacks a reason, standard error says so. With EARSHOT_REQUIRE_REASONS=1 the operation is
    /// refused, as by the phone's system.
    ///
    /// On a phone, the system asked the user for the original module, and apps written for it cannot pass a prompt. So
    /// this module passes one: it asks on the terminal or the desktop if the app has no dialog of its own.
    private static let system = {
        let log = GNSDebugLog.standardError
        var configuration = MessageManager.Configuration.system(
            media: { [SoundMedium(microphone: $0.microphone, loudspeaker: $0.loudspeaker)] }, log: log)
        let adapter = BluetoothAdapter(configuration.devices.adapter, log: log)
        let sound = configuration.media
        configuration.media = { sound() + [BluetoothMedium(adapter: adapter)] }
        configuration.beacons = { BluetoothBeacons(adapter) }
        configuration.agent = .system
        UIApplication.shared.setNotificationRelay(
            AgentRelay(AgentNotifications(.system, app: configuration.applicationIdentifier, note: log)))
        configuration.foreground = foreground
        let consent = Consent(
            applicationIdentifier: configuration.applicationIdentifier, media: [.audio, .bluetooth],
            prompt: SystemPrompt(),
            missingReasons: ProcessInfo.processInfo.environment["EARSHOT_REQUIRE_REASONS"] == "1" ? .refused : .warned,
            log: log)
        return GNSEnvironment(configuration: configuration, consent: consent, log: log)
    }()

    /// Whether the app is in the foreground, by the original interface.
    package static let foreground = {
        let foreground = Foreground(interval: .seconds(1)) { UIApplication.shared.applicationState != .background }
        for name in [
            UIApplication.didEnterBackgroundNotification, UIApplication.willEnterForegroundNotification,
        ] {
            // Without this the change would be noticed only at the next check.
            _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                foreground.check()
            }
        }
        return foreground
    }()
}
