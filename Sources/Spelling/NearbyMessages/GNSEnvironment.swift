import EarshotBluetooth
import EarshotDiscovery
package import EarshotMessages
import EarshotPrompts
import EarshotSound
import Foundation
import NearbyWire
import UIKitNames

/// The service, the media, the permission and the debug log, which the original interface has no argument for.
///
/// Tests replace it:
///
///     GNSEnvironment.$current.withValue(environment) { GNSMessageManager(apiKey: "…") }
package struct GNSEnvironment: Sendable {
    /// The configuration of managers, with the permission and the log below.
    package var configuration: MessageManager.Configuration
    /// Asks for consent and keeps the answer. All managers share it, so that two do not ask at once.
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
        self.configuration.warn = warn
    }

    /// The environment of new managers and permissions.
    @TaskLocal package static var current = system

    /// The environment of the process, see `MessageManager.Configuration.system`, with Bluetooth beside the sound.
    ///
    /// One adapter for devices and beacons. A machine without Bluetooth has a line about it in the debug log, and the sound works.
    ///
    /// Operations that are allowed in the background go to the user's agent, where there is one. The others end while the app is
    /// in the background, as `UIApplication.applicationState` says, and come back with it.
    ///
    /// A missing reason in the app's manifest is a line on standard error. With EARSHOT_REQUIRE_REASONS=1 it refuses the operation, as the
    /// phone's system did.
    ///
    /// The phone's system asked the user on behalf of the original module, and apps written for it cannot pass a prompt. So
    /// this module passes one: it asks on the terminal or the desktop if the app has no dialog of its own.
    private static let system = {
        let log = GNSDebugLog.standardError
        var configuration = MessageManager.Configuration.system(
            media: { [SoundMedium(microphone: $0.microphone, loudspeaker: $0.loudspeaker)] }, log: log)
        let adapter = BluetoothAdapter(configuration.devices.adapter)
        let sound = configuration.media
        configuration.media = { sound() + [BluetoothMedium(adapter: adapter)] }
        configuration.beacons = { BluetoothBeacons(adapter) }
        configuration.agent = .system
        configuration.foreground = foreground
        let consent = Consent(
            applicationIdentifier: configuration.applicationIdentifier, media: [.audio, .bluetooth],
            prompt: SystemPrompt(),
            missingReasons: ProcessInfo.processInfo.environment["EARSHOT_REQUIRE_REASONS"] == "1" ? .refused : .warned,
            log: log)
        return GNSEnvironment(configuration: configuration, consent: consent, log: log)
    }()

    /// Whether the app is in the foreground, as the original interface has it.
    package static let foreground = {
        let foreground = Foreground(interval: .seconds(1)) { UIApplication.shared.applicationState != .background }
        for name in [
            UIApplication.didEnterBackgroundNotification, UIApplication.willEnterForegroundNotification,
        ] {
            // Without this the change would be noticed with the next look.
            _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                foreground.check()
            }
        }
        return foreground
    }()
}
