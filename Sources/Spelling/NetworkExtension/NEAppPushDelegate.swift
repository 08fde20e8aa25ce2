public import Foundation

/// Receives the reports of an app's providers. Its methods are called on the main queue.
@MainActor public protocol NEAppPushDelegate: NSObjectProtocol {
    /// A provider has reported a call. Each call is delivered once, to the delegate of the configuration's manager.
    func appPushManager(
        _ manager: NEAppPushManager, didReceiveIncomingCallWithUserInfo userInfo: [AnyHashable: Any])

    /// A provider has reported a message of push-to-talk. In the original it goes to PushToTalk instead.
    func appPushManager(
        _ manager: NEAppPushManager, didReceivePushToTalkMessageWithUserInfo userInfo: [AnyHashable: Any])

    /// The user clicked a notification that a provider showed, while the app runs. An app that is not running is
    /// started instead, with the notification in its launch options.
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
