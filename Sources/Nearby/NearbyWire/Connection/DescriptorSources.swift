package import Dispatch

/// Calls a closure whenever a descriptor can be read, until `cancel`.
///
/// Unchecked, because libdispatch's sources may be used by any thread but are not declared Sendable.
package final class ReadSource: @unchecked Sendable {
    private let source: any DispatchSourceRead

    /// - Parameters:
    ///   - onReadable: called on the queue while there is data to read. After the other side is gone, it is called
    ///     once, and must read all data up to the end.
    ///   - onEnd: called after the last call of `onReadable`. Close the descriptor only then.
    package init(
        _ descriptor: CInt, queue: DispatchQueue, onReadable: @escaping @Sendable () -> Void,
        onEnd: (@Sendable () -> Void)? = nil
    ) {
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler(handler: onReadable)
        if let onEnd { source.setCancelHandler(handler: onEnd) }
        source.activate()
    }

    package func cancel() {
        source.cancel()
    }
}

/// Calls a closure whenever a descriptor can be written, until `cancel`. Unchecked for the same reason as `ReadSource`.
final class WriteSource: @unchecked Sendable {
    private let source: any DispatchSourceWrite

    init(
        _ descriptor: CInt, queue: DispatchQueue, onWritable: @escaping @Sendable () -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) {
        source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler(handler: onWritable)
        source.setCancelHandler(handler: onEnd)
        source.activate()
    }

    func cancel() { source.cancel() }
}
