/// A message that is published. Ends when nobody keeps it.
public final class Publication: Sendable {
    /// How far it is now.
    public var status: OperationStatus { fatalError("skeleton") }

    /// What it is now, and then whenever it changes. Each caller has a stream of its own. Ends with the publication.
    public var statuses: AsyncStream<OperationStatus> { fatalError("skeleton") }

    /// Ends it, at once. Others lose the message.
    public func stop() { fatalError("skeleton") }
}
