import EarshotBasics
import Synchronization

/// Counts the frames of a connection that the agent has not handled yet, so that a client cannot fill the agent's
/// memory.
final class FrameBacklog: Sendable {
    static let maximumByteCount = 16 << 20

    private let byteCount = Atomic(0)
    private let limit: Mutex<TokenBucket>

    /// - Parameter limit: the rate limit of frames.
    init(_ limit: TokenBucket = TokenBucket(burst: 128, perSecond: 50)) { self.limit = Mutex(limit) }

    /// Counts an incoming frame.
    /// - Returns: false if the connection exceeds a limit.
    func add(_ count: Int, now: Double) -> Bool {
        let sum = byteCount.add(count, ordering: .relaxed).newValue
        return sum <= Self.maximumByteCount && limit.withLock { $0.take(nowSeconds: now) }
    }

    /// A frame was handled.
    func remove(_ count: Int) { byteCount.subtract(count, ordering: .relaxed) }
}
