// The argument types are optional although nothing is ever missing: apps write them as `GNSMessage?` or `GNSMessage!`, and only
// so both compile. All handlers are called on the main queue: a program without a user interface has to run `RunLoop.main`,
// `dispatchMain()`, or an asynchronous `main`.

/// Gets a message that was found or lost.
public typealias GNSMessageHandler = (GNSMessage?) -> Void

/// Gets, or takes, whether the user permits.
public typealias GNSPermissionHandler = (Bool) -> Void

/// Asks the user in the app's own way, and passes the answer on.
///
/// The handler it gets is to be called once, when the user has decided; later calls are ignored. Where it is let go without a call,
/// nothing is decided, and the next operation asks again.
public typealias GNSPermissionRequestHandler = (GNSPermissionHandler?) -> Void

/// Gets true when something is wrong, false when it is not any more.
public typealias GNSErrorStateHandler = (Bool) -> Void

/// Gets what an operation is doing: first what it does now, then each change.
public typealias GNSOperationStatusHandler = (GNSOperationStatus) -> Void

/// Sets what a manager is made with.
public typealias GNSMessageManagerParamsBlock = (GNSMessageManagerParams?) -> Void

/// Sets what a publication is made with.
public typealias GNSPublicationParamsBlock = (GNSPublicationParams?) -> Void

/// Sets what a subscription is made with.
public typealias GNSSubscriptionParamsBlock = (GNSSubscriptionParams?) -> Void
