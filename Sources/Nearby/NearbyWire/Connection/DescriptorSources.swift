package import Dispatch
import Glibc

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
        let watched = WatchedDescriptor(descriptor)
        source = DispatchSource.makeReadSource(fileDescriptor: watched.number, queue: queue)
        source.setEventHandler(handler: onReadable)
        source.setCancelHandler {
            watched.end()
            onEnd?()
        }
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
        let watched = WatchedDescriptor(descriptor)
        source = DispatchSource.makeWriteSource(fileDescriptor: watched.number, queue: queue)
        source.setEventHandler(handler: onWritable)
        source.setCancelHandler {
            watched.end()
            onEnd()
        }
        source.activate()
    }

    func cancel() { source.cancel() }
}

/// A duplicate of a descriptor, for libdispatch only.
///
/// libdispatch knows a descriptor by its number. Foundation's URLSession (Swift 6.3, Linux) closes sockets while libdispatch still watches
/// them. The next descriptor of that number then counts as watched, and its source is never called: one connection to the agent in about
/// 3,000 got no answer while the service was away. The system gives the lowest free number to all others, so a high one was never watched.
private struct WatchedDescriptor {
    let number: CInt
    private let isDuplicate: Bool

    init(_ descriptor: CInt) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, CInt(min(512, limit.rlim_cur / 2)))
        isDuplicate = duplicate >= 0
        // Without a free number it takes the risk.
        number = isDuplicate ? duplicate : descriptor
    }

    /// Call it when libdispatch no longer watches it.
    func end() {
        if isDuplicate { close(number) }
    }
}
