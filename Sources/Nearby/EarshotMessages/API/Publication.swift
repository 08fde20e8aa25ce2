/// A published message. Releasing it withdraws the message.
public final class Publication: Sendable {
    private let operation: OperationHandle

    init(_ operation: OperationHandle) {
        self.operation = operation
    }

    deinit { operation.end() }

    /// The current status of the publication.
    public var status: OperationStatus { operation.status }

    /// The status now, and then each change. Each call returns a new stream, which ends with the publication. If a
    /// reader is more than 256 elements late, its stream drops the oldest.
    public var statuses: AsyncStream<OperationStatus> { operation.statusStream }

    /// Withdraws the message immediately: other devices lose it.
    public func stop() { operation.end() }
}
