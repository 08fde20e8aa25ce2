public import Foundation

/// Hears of what an app's providers report. Its methods are called on the main queue.
@MainActor public protocol NEAppPushDelegate: NSObjectProtocol {
    /// A provider has reported a call. Each call is told once, to the delegate of the configuration's manager.
    func appPushManager(
        _ manager: NEAppPushManager, didReceiveIncomingCallWithUserInfo userInfo: [AnyHashable: Any])

    /// A provider has reported a message of push-to-talk. The original tells PushToTalk of it instead.
    func appPushManager(
        _ manager: NEAppPushManager, didReceivePushToTalkMessageWithUserInfo userInfo: [AnyHashable: Any])

    /// The user clicked a notification that a provider showed, while the app runs. An app that does not run is started instead,
    /// with the notification in its launch options.
    func appPushManager(
        _ manager: NEAppPushManager, didClickNotification identifier: String, title: String, body: String)
}

extension NEAppPushDelegate {
    /// Does nothing.
    public func appPushManager(
        _ manager: NEAppPushManager, didReceivePushToTalkMessageWithUserInfo userInfo: [AnyHashable: Any]
    ) {}

    /// Does nothing.
    public func appPushManager(
        _ manager: NEAppPushManager, didClickNotification identifier: String, title: String, body: String
    ) {}
}
