/// A message that is published. Ends when nobody keeps it.
public final class Publication: Sendable {
    private let operation: OperationCore

    init(_ operation: OperationCore) {
        self.operation = operation
    }

    deinit { operation.end() }

    /// How far it is now.
    public var status: OperationStatus { operation.status }

    /// What it is now, and then whenever it changes. Each caller has a stream of its own. Ends with the publication.
    public var statuses: AsyncStream<OperationStatus> { operation.statusStream }

    /// Ends it, at once. Others lose the message.
    public func stop() { operation.end() }
}
