import Dispatch
package import EarshotNotifications
public import Foundation
import Synchronization

/// The app: its state, its delegate and its notifications.
///
/// It can be used on any thread; the delegate is called on the main queue.
public final class UIApplication: NSObject, Sendable {
    /// Whether the user sees the app.
    public enum State: Int, Sendable {
        /// The app is in front.
        case active = 0
        /// The app is in front but covered. Only `setApplicationState` sets this state.
        case inactive
        /// The app is not in front, or has no window and no terminal.
        case background
    }

    /// The reason why the app was launched.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        /// The name of the reason.
        public let rawValue: String

        /// A reason of this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The user clicked a notification; the value is a `UILocalNotification`.
        public static let localNotification = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsLocalNotificationKey")
        /// A message was found by Bluetooth.
        public static let bluetoothCentrals = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsBluetoothCentralsKey")
        /// A beacon was found.
        public static let location = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsLocationKey")
    }

    /// Posted on the main queue after `setApplicationState` changed the state from or to the background, or to active.
    public static let didEnterBackgroundNotification = NSNotification.Name(
        "UIApplicationDidEnterBackgroundNotification")
    /// See `didEnterBackgroundNotification`.
    public static let willEnterForegroundNotification = NSNotification.Name(
        "UIApplicationWillEnterForegroundNotification")
    /// See `didEnterBackgroundNotification`.
    public static let didBecomeActiveNotification = NSNotification.Name("UIApplicationDidBecomeActiveNotification")
    /// See `didEnterBackgroundNotification`.
    public static let willResignActiveNotification = NSNotification.Name("UIApplicationWillResignActiveNotification")

    /// The app of this process.
    public static var shared: UIApplication { current }

    /// Tests replace it.
    @TaskLocal package static var current = UIApplication()

    private struct Values {
        var state: State?
        var settings: UIUserNotificationSettings?
        var badge = 0
        var presenter: NotificationPresenter?
        var relay: (any NotificationRelay)?
    }

    private let values = Mutex(Values())
    private let delegateBox = DelegateBox()

    @MainActor private final class DelegateBox: Sendable {
        weak var weakly: (any UIApplicationDelegate)?
        /// The delegate that `main` created, retained only here.
        var owned: (any UIApplicationDelegate)?

        nonisolated init() {}
    }

    private let makeCenter: @Sendable () -> UserNotificationCenter

    /// - Parameter makeCenter: creates the center that shows the app's notifications, at its first use.
    package init(makeCenter: @escaping @Sendable () -> UserNotificationCenter = { UserNotificationCenter() }) {
        self.makeCenter = makeCenter
    }
}

extension UIApplication {
    /// Whether the user sees the app. By default it is `active` if the app's process group owns its controlling
    /// terminal, as that of a command without `&` does; otherwise it is `background`. The rule is applied at each call.
    ///
    /// A program with windows sets its state with `setApplicationState` instead.
    public var applicationState: State {
        values.withLock(\.state) ?? (TerminalForeground.isForeground ? .active : .background)
    }

    /// Sets whether the user sees the app; for apps with a GUI toolkit, and for tests. Posts the notifications that
    /// apps observe.
    /// - Parameter state: nil for the rule of the terminal.
    public func setApplicationState(_ state: State?) {
        let before = applicationState
        values.withLock { $0.state = state }
        let after = applicationState
        var names: [NSNotification.Name] = []
        if before == .active, after != .active { names.append(Self.willResignActiveNotification) }
        if before != .background, after == .background { names.append(Self.didEnterBackgroundNotification) }
        if before == .background, after != .background { names.append(Self.willEnterForegroundNotification) }
        if before != .active, after == .active { names.append(Self.didBecomeActiveNotification) }
        guard !names.isEmpty else { return }
        DispatchQueue.main.async { [names] in
            for name in names { NotificationCenter.default.post(name: name, object: self) }
        }
    }

    /// The app's delegate, which is retained.
    @MainActor public var delegate: (any UIApplicationDelegate)? {
        get { delegateBox.weakly }
        set { delegateBox.weakly = newValue }
    }

    /// Retains a delegate and informs it of the launch.
    @MainActor func launch(_ delegate: any UIApplicationDelegate, options: [LaunchOptionsKey: Any]? = nil) {
        SettingsSaver.start()
        delegateBox.owned = delegate
        self.delegate = delegate
        _ = delegate.application(self, didFinishLaunchingWithOptions: options)
    }
}

extension UIApplication {
    /// Registers the means by which the app wants to notify its user. Call it at each launch: without it, notifications
    /// go to standard error. The delegate's `application(_:didRegister:)` receives the means that the desktop supports.
    public func registerUserNotificationSettings(_ notificationSettings: UIUserNotificationSettings) {
        presenter.register(notificationSettings.types.options) { [self] found in
            let settings = UIUserNotificationSettings(
                types: UIUserNotificationType(found), categories: notificationSettings.categories)
            values.withLock { $0.settings = settings }
            DispatchQueue.main.async { self.delegate?.application(self, didRegister: settings) }
        }
    }

    /// The means that the app registered and the desktop supports; nil before they are known.
    public var currentUserNotificationSettings: UIUserNotificationSettings? { values.withLock(\.settings) }

    /// Shows a notification at once. Returns immediately; a notification that the desktop cannot show is written to standard
    /// error. A click calls the delegate's `application(_:didReceive:)`. If the app's manifest says how to start it, the agent shows the
    /// notification, and a click after the app's end starts the app.
    public func presentLocalNotificationNow(_ notification: UILocalNotification) {
        presenter.present(notification)
    }

    /// Closes a notification that was shown.
    public func cancelLocalNotification(_ notification: UILocalNotification) {
        presenter.cancel(notification)
    }

    /// Closes all notifications of the app.
    public func cancelAllLocalNotifications() {
        presenter.cancelAll()
    }

    /// The number on the app's icon; 0 for none. If the desktop does not show badges, standard error says so once.
    public var applicationIconBadgeNumber: Int {
        get { values.withLock(\.badge) }
        set {
            values.withLock { $0.badge = newValue }
            presenter.setBadge(newValue)
        }
    }

    /// Lets another program show the notifications from now on, if it can.
    package func setNotificationRelay(_ relay: any NotificationRelay) { values.withLock { $0.relay = relay } }

    private var presenter: NotificationPresenter {
        values.withLock { values in
            if let presenter = values.presenter { return presenter }
            let presenter = NotificationPresenter(makeCenter()) { [weak self] in
                self?.values.withLock(\.relay)
            } clicked: { [weak self] notification in
                guard let self else { return }
                delegate?.application(self, didReceive: notification)
            }
            values.presenter = presenter
            return presenter
        }
    }

    /// Waits until all requests have reached the desktop or standard error.
    package func waitUntilPresented() async {
        await presenter.waitUntilDone()
    }
}
