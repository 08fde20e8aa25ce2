// The argument types are optional although a value is never missing, because apps write `GNSMessage?` or `GNSMessage!`,
// and both must compile. All handlers are called on the main queue: a program without a user interface must run
// `RunLoop.main`, `dispatchMain()`, or an asynchronous `main`.

/// Receives a message that was found or lost.
public typealias GNSMessageHandler = (GNSMessage?) -> Void

/// Receives the permission: true if it is granted, false if it is denied.
public typealias GNSPermissionHandler = (Bool) -> Void

/// Asks the user in the app's own way, and passes the answer on.
///
/// The app calls the given handler once, when the user has decided; later calls are ignored. If the app releases the handler
/// without a call, the permission stays undecided, and the next operation asks again.
public typealias GNSPermissionRequestHandler = (GNSPermissionHandler?) -> Void

/// Receives true when an error begins, false when it ends.
public typealias GNSErrorStateHandler = (Bool) -> Void

/// Receives the status of an operation: first the current status, then each change.
public typealias GNSOperationStatusHandler = (GNSOperationStatus) -> Void

/// Sets the parameters of a manager.
public typealias GNSMessageManagerParamsBlock = (GNSMessageManagerParams?) -> Void

/// Sets the parameters of a publication.
public typealias GNSPublicationParamsBlock = (GNSPublicationParams?) -> Void

/// Sets the parameters of a subscription.
public typealias GNSSubscriptionParamsBlock = (GNSSubscriptionParams?) -> Void
