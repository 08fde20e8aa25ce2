/// Messages that come and go. Ends when nobody keeps it, neither it nor the loop that reads it.
///
/// One reader at a time. Who reads slowly misses nothing that is still near: what was found and lost again before it was read is
/// left out, both.
public final class Subscription: Sendable, AsyncSequence {
    /// Found and lost.
    public typealias Element = MessageEvent
    /// It ends, it does not fail.
    public typealias Failure = Never

    private let operation: OperationCore

    init(_ operation: OperationCore) {
        self.operation = operation
    }

    deinit { operation.end() }

    /// How far it is now.
    public var status: OperationStatus { operation.status }

    /// What it is now, and then whenever it changes. Each caller has a stream of its own. Ends with the subscription.
    public var statuses: AsyncStream<OperationStatus> { operation.statusStream }

    /// Ends it, at once: nothing more is found, and nothing lost.
    public func stop() { operation.end() }

    /// The reader.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: self) }

    /// Reads a subscription, and keeps it.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: Subscription

        /// What happens next; nil at the end, or where the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> MessageEvent? {
            await subscription.operation.events.next()
        }
    }
}
