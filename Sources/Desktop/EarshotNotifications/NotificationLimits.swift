/// The limits for one application's notifications. They protect the user and the desktop from an application, or from
/// strangers whose texts it shows.
public struct NotificationLimits: Sendable, Hashable {
    /// The maximum number of characters of a title and of an action's title, counted as Unicode scalars.
    public var titleScalarCount = 200
    /// The maximum number of characters of a body, counted as Unicode scalars.
    public var bodyScalarCount = 2_000
    /// The maximum number of actions; further ones are dropped.
    public var actionCount = 8
    /// The maximum number of open notifications. One more closes the oldest.
    public var openCount = 64
    /// The maximum number of requests that wait for the desktop.
    public var waitingCount = 64
    /// The maximum number of notifications at once; above 0.
    public var burstCount = 20
    /// The time after which one more notification is allowed; above 0.
    public var refillInterval = Duration.milliseconds(500)
    /// The maximum time to wait for the desktop's answer to a call.
    public var answerTime = Duration.seconds(5)
    /// After a failure, requests go to standard error for this time before the desktop is asked again.
    public var pauseAfterFailure = Duration.seconds(10)

    /// The limits for an ordinary application.
    public init() {}
}
