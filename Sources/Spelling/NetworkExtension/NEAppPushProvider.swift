import EarshotPush
public import Foundation
import NearbyWire
import Synchronization

/// Maintains the connection to a server on a network that an app has named. A provider is a separate program, which
/// `earshot-agent` starts when the device joins the network and stops when it leaves.
///
///     @main final class Provider: NEAppPushProvider {
///         override func start(completionHandler: @escaping ((any Error)?) -> Void) { … }
///         override func stop(with reason: NEProviderStopReason, completionHandler: @escaping () -> Void) { … }
///     }
///
/// Override one of the two forms of `start`. The agent's calls come on the main queue. One process serves one configuration.
/// docs/PUSH.md describes the life of a provider.
open class NEAppPushProvider: NEProvider {
    private let values = ProviderValues()

    /// A provider. `main` creates one.
    public override init() { super.init() }

    /// Called by `main`: the same as `init()`, also for subclasses that override only `init()`.
    public required convenience init(startedBy _: Void) { self.init() }

    // MARK: From the agent

    /// The values that the app gave to `NEAppPushManager.providerConfiguration`; nil before the start.
    open var providerConfiguration: [String: Any]? { values.state.withLock(\.configuration)?.values }

    /// Connects to the server. The provider counts as active once it calls the handler with nil; an error is shown by
    /// `earshot push status`, and the agent tries again after 1 s, then 2 s, up to 60 s.
    ///
    /// This form calls `start()`.
    open func start(completionHandler: @escaping ((any Error)?) -> Void) {
        let isInner = values.state.withLock { state in
            defer { state.isStarting = true }
            return state.isStarting
        }
        if !isInner {
            start()
            values.state.withLock { $0.isStarting = false }
        }
        completionHandler(nil)
    }

    /// The same without an answer: the provider counts as active at once.
    ///
    /// This form calls `start(completionHandler:)`.
    open func start() {
        let isInner = values.state.withLock { state in
            defer { state.isStarting = true }
            return state.isStarting
        }
        guard !isInner else { return }
        start { _ in }
        values.state.withLock { $0.isStarting = false }
    }

    /// Disconnects from the server. The process ends when it calls the handler, and after 5 s in any case.
    open func stop(with reason: NEProviderStopReason, completionHandler: @escaping () -> Void) { completionHandler() }

    /// Called once a minute: the time to check the connection.
    open func handleTimerEvent() {}

    // MARK: To the agent

    /// Reports a call to the app, which is started if it is not running. The call waits for the app, also through a
    /// restart of the machine.
    ///
    /// When this returns, the call is on the disk; acknowledge it to the server only then. It takes a few milliseconds.
    /// If the agent dies meanwhile, this does not return, and the process ends. If an earlier process of the provider
    /// reported the same `userInfo` in the last two minutes, it counts as the same call, so put the call's identifier
    /// there. A failed report is written to standard error.
    /// - Parameter userInfo: a property list, up to 64 KiB; up to 30 calls in a minute.
    open func reportIncomingCall(userInfo: [AnyHashable: Any] = [:]) { report(.call, userInfo) }

    /// The same for a message of push-to-talk.
    open func reportPushToTalkMessage(userInfo: [AnyHashable: Any] = [:]) { report(.talk, userInfo) }

    /// Reports that the Ethernet network with the primary route is not the app's. The agent stops the provider, and
    /// starts it when the device joins another network.
    open func unmatchEthernet() { values.state.withLock(\.link)?.send(.unmatchEthernet) }

    /// The desktop's sound for new messages, for `showNotification`.
    public static let defaultSoundName = "default"

    /// Shows a notification of the app. A click starts the app, or calls its delegate if it is running; both get the
    /// identifier.
    ///
    /// When this returns true, the notification is on the disk, as with `reportIncomingCall`.
    /// - Parameters:
    ///   - identifier: 1 to 128 bytes. The notification replaces a shown one with the same identifier.
    ///   - title: up to 256 bytes.
    ///   - body: up to 4,096 bytes.
    ///   - soundName: `defaultSoundName`, a sound of the desktop's theme, or the absolute path of a file; nil for silence.
    ///   - badge: the number on the app's icon, 0 for none; nil for no change.
    /// - Returns: whether the agent accepted it; up to 60 in a minute. Standard error has the reason for a refusal.
    @discardableResult
    public func showNotification(
        identifier: String = UUID().uuidString, title: String, body: String = "",
        soundName: String? = NEAppPushProvider.defaultSoundName, badge: Int? = nil
    ) -> Bool {
        let id = UUID().uuidString
        let sound = soundName == Self.defaultSoundName ? nil : soundName ?? ""
        return ask(
            .notify(
                ProviderFrame.Notify(
                    id: id, identifier: identifier, title: title, body: body, sound: sound, badge: badge)), id: id,
            "The notification")
    }

    private func report(_ kind: PushFrame.Event.Kind, _ userInfo: [AnyHashable: Any]) {
        do throws(PropertyList.Invalid) {
            let values = try [String: PropertyList](userInfo, keyPath: "userInfo")
            let id = UUID().uuidString
            _ = ask(
                .report(ProviderFrame.Report(id: id, kind: kind, userInfo: .dictionary(values))), id: id, "The call")
        } catch {
            StandardError.warn("The call is not reported. \(error)")
        }
    }

    private func ask(_ frame: ProviderFrame, id: String, _ name: String) -> Bool {
        guard let link = values.state.withLock(\.link) else {
            StandardError.warn("\(name) is not reported: earshot-agent did not start this provider.")
            return false
        }
        guard let refusal = link.ask(frame, id: id) else { return true }
        StandardError.warn("\(name) is refused. \(refusal)")
        return false
    }

    // MARK: The program

    func begin(_ configuration: [String: PropertyList], _ link: ProviderLink) {
        values.state.withLock { ($0.configuration, $0.link) = (configuration, link) }
    }

    /// Runs the provider until the agent stops it. A subclass marked with `@main` is the program.
    public class func main() {
        ProviderProgram.run { Self(startedBy: ()) }
    }

    /// The same with a provider from a closure.
    public class func main(_ make: @escaping @Sendable () -> NEAppPushProvider) {
        ProviderProgram.run(make)
    }
}

/// The values of a provider, which any of its threads may use.
private final class ProviderValues: Sendable {
    struct State {
        var configuration: [String: PropertyList]?
        var link: ProviderLink?
        /// Whether one form of `start` has called the other.
        var isStarting = false
    }

    let state = Mutex(State())
}
