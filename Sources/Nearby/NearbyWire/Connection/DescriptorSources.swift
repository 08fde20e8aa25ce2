package import Dispatch
import Glibc

/// Calls a closure whenever a descriptor can be read, until `cancel`.
package final class ReadSource: Sendable {
    private let number: Int
    private let onEnd: (@Sendable () -> Void)?

    /// - Parameters:
    ///   - onReadable: called on the queue while there is data to read, or the other side is gone.
    ///   - onEnd: called after the last call of `onReadable`, if the queue is serial. Close the descriptor only then.
    package init(
        _ descriptor: CInt, queue: DispatchQueue, onReadable: @escaping @Sendable () -> Void,
        onEnd: (@Sendable () -> Void)? = nil
    ) {
        self.onEnd = onEnd
        number = DescriptorLoop.shared.watch(descriptor, POLLIN, queue: queue, onReady: onReadable)
    }

    package func cancel() {
        DescriptorLoop.shared.end(number, onEnd: onEnd)
    }
}

/// Calls a closure whenever a descriptor can be written, until `cancel`.
final class WriteSource: Sendable {
    private let number: Int
    private let onEnd: @Sendable () -> Void

    init(
        _ descriptor: CInt, queue: DispatchQueue, onWritable: @escaping @Sendable () -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) {
        self.onEnd = onEnd
        number = DescriptorLoop.shared.watch(descriptor, POLLOUT, queue: queue, onReady: onWritable)
    }

    func cancel() {
        DescriptorLoop.shared.end(number, onEnd: onEnd)
    }
}
