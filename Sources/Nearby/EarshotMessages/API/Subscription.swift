/// A search for messages, as a sequence of events. It ends when the app releases it and all its iterators.
///
/// A slow reader misses no message that is still near: if a message is lost before its `found` was read, both events are
/// dropped. Several tasks may read one subscription; each event then goes to one of them.
public final class Subscription: Sendable, AsyncSequence {
    /// A message that is found or lost.
    public typealias Element = MessageEvent
    /// The sequence ends, but never fails.
    public typealias Failure = Never

    private let operation: OperationHandle

    init(_ operation: OperationHandle) {
        self.operation = operation
    }

    deinit { operation.end() }

    /// The current status of the subscription.
    public var status: OperationStatus { operation.status }

    /// The status now, and then each change. Each call returns a new stream, which ends with the subscription. If a
    /// reader is more than 256 elements late, its stream drops the oldest.
    public var statuses: AsyncStream<OperationStatus> { operation.statusStream }

    /// Ends the search immediately. The sequence ends, without further `lost` events.
    public func stop() { operation.end() }

    /// An iterator that keeps the subscription. Iterators share the events: each event goes to one of them.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: self) }

    /// Reads a subscription, and keeps it.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: Subscription

        /// Waits for the next event.
        /// - Returns: the next event; nil after the end, or if the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> MessageEvent? {
            await subscription.operation.events.next()
        }
    }
}
