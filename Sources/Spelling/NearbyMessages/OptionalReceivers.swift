public import Foundation

// The initialisers are implicitly unwrapped, so `let manager = GNSMessageManager(apiKey: key)` is an optional since
// Swift 4.2. Until then it was implicitly unwrapped, and apps and documents of that time use it without `?`. With these
// members both compile. On nil they have no effect, like a message to nil.

extension Optional where Wrapped: GNSMessageManager {
    /// The same as `GNSMessageManager.publication(with:paramsBlock:)`; nil without a manager.
    @discardableResult
    public func publication(
        with message: GNSMessage!, paramsBlock: GNSPublicationParamsBlock! = nil
    ) -> (any GNSPublication)! {
        self?.publication(with: message, paramsBlock: paramsBlock)
    }

    /// The same as `GNSMessageManager.publicationWithMessage`; nil without a manager.
    @discardableResult
    public func publicationWithMessage(
        _ message: GNSMessage!, paramsBlock: GNSPublicationParamsBlock! = nil
    ) -> (any GNSPublication)! {
        self?.publication(with: message, paramsBlock: paramsBlock)
    }

    /// The same as `GNSMessageManager.subscription(messageFoundHandler:messageLostHandler:)`; nil without a manager.
    @discardableResult
    public func subscription(
        messageFoundHandler: GNSMessageHandler!, messageLostHandler: GNSMessageHandler!
    ) -> (any GNSSubscription)! {
        self?.subscription(messageFoundHandler: messageFoundHandler, messageLostHandler: messageLostHandler)
    }

    /// The same as `GNSMessageManager.subscription(messageFoundHandler:messageLostHandler:paramsBlock:)`; nil without a manager.
    @discardableResult
    public func subscription(
        messageFoundHandler: GNSMessageHandler!, messageLostHandler: GNSMessageHandler!,
        paramsBlock: GNSSubscriptionParamsBlock!
    ) -> (any GNSSubscription)! {
        self?.subscription(
            messageFoundHandler: messageFoundHandler, messageLostHandler: messageLostHandler, paramsBlock: paramsBlock)
    }

    /// The same as `GNSMessageManager.subscriptionWithMessageFoundHandler`; nil without a manager.
    @discardableResult
    public func subscriptionWithMessageFoundHandler(
        _ messageFoundHandler: GNSMessageHandler!, messageLostHandler: GNSMessageHandler!,
        paramsBlock: GNSSubscriptionParamsBlock! = nil
    ) -> (any GNSSubscription)! {
        self?.subscription(
            messageFoundHandler: messageFoundHandler, messageLostHandler: messageLostHandler, paramsBlock: paramsBlock)
    }
}

extension Optional where Wrapped: GNSMessage {
    /// The same as `GNSMessage.messageNamespace`; nil without a message.
    public var messageNamespace: String! { self?.messageNamespace }
    /// The same as `GNSMessage.type`; nil without a message.
    public var type: String! { self?.type }
    /// The same as `GNSMessage.content`; nil without a message.
    public var content: Data! { self?.content }
}
