import Dispatch

/// Tells whenever a descriptor can be read, until it is cancelled.
///
/// Unchecked, because libdispatch's sources may be used by any thread, and do not say so here.
final class ReadSource: @unchecked Sendable {
    private let source: any DispatchSourceRead

    /// - Parameter onEnd: after the last call of `onReadable`; only from then on the descriptor may be closed.
    init(
        _ descriptor: CInt, queue: DispatchQueue, onReadable: @escaping @Sendable () -> Void,
        onEnd: (@Sendable () -> Void)? = nil
    ) {
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler(handler: onReadable)
        if let onEnd { source.setCancelHandler(handler: onEnd) }
        source.activate()
    }

    func cancel() {
        source.cancel()
    }
}
