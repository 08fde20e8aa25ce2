public import Foundation

/// Carries out the user's actions on calls. A delegate is called on the queue that was set with it.
public protocol CXProviderDelegate: NSObjectProtocol {
    /// All calls are gone, and the delegate must end its own part of them. Called when the provider is invalidated.
    func providerDidReset(_ provider: CXProvider)

    /// The provider can report calls.
    func providerDidBegin(_ provider: CXProvider)

    /// Carries out a transaction as a whole.
    /// - Returns: whether it did; otherwise `provider(_:perform:)` is called for each action.
    func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool

    /// The user, or the app through `CXCallController`, starts a call.
    func provider(_ provider: CXProvider, perform action: CXStartCallAction)

    /// The user answers.
    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction)

    /// The user declines or hangs up.
    func provider(_ provider: CXProvider, perform action: CXEndCallAction)

    /// The delegate did not call `fulfill()` or `fail()` in time. The action has failed.
    func provider(_ provider: CXProvider, timedOutPerforming action: CXAction)
}

/// The defaults for a delegate: actions fail.
extension CXProviderDelegate {
    /// Does nothing.
    public func providerDidBegin(_ provider: CXProvider) {}
    /// Leaves each action to its own function.
    public func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool { false }
    /// Fails the action.
    public func provider(_ provider: CXProvider, perform action: CXStartCallAction) { action.fail() }
    /// Fails the action.
    public func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { action.fail() }
    /// Fails the action.
    public func provider(_ provider: CXProvider, perform action: CXEndCallAction) { action.fail() }
    /// Does nothing.
    public func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {}
}
