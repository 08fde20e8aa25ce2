import Glibc
import Synchronization

/// The work for a connection's thread, and the pipe that wakes it.
final class DBusInbox: Sendable {
    /// Work for the thread; it gets nil if the connection is closed.
    typealias Job = @Sendable (DBusLoop?) -> Void

    private struct State {
        var jobs: [Job] = []
        var isStopping = false
        var isClosed = false
        var closingReason = "it is closed"
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let pipe: (read: Int32, write: Int32)

    init() {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        // Without a pipe the thread wakes up only by time.
        if socketpair(AF_UNIX, type, 0, &ends) != 0 { ends = [-1, -1] }
        pipe = (ends[0], ends[1])
    }

    deinit {
        if pipe.read >= 0 { Glibc.close(pipe.read) }
        if pipe.write >= 0 { Glibc.close(pipe.write) }
    }

    /// The descriptor that becomes readable when there is work; -1 if there is none.
    var descriptor: Int32 { pipe.read }

    /// Gives the thread work.
    func post(_ job: @escaping Job) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.jobs.append(job) }
            return state.isClosed
        }
        if isClosed { job(nil) } else { wake() }
    }

    /// Asks the thread to close the connection.
    func stop() {
        state.withLock { $0.isStopping = true }
        wake()
    }

    /// Waits until the connection is closed.
    func waitUntilClosed() async {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.waiting.append(continuation) }
                return state.isClosed
            }
            if isClosed { continuation.resume() }
        }
    }

    /// The work to do now; nil if the connection should be closed.
    func take() -> [Job]? {
        var drained = [UInt8](repeating: 0, count: 64)
        while read(pipe.read, &drained, drained.count) > 0 {}
        return state.withLock { state in
            guard !state.isStopping else { return nil }
            let jobs = state.jobs
            state.jobs = []
            return jobs
        }
    }

    /// Why the connection is closed.
    var closingReason: String { state.withLock { $0.closingReason } }

    /// Tells all waiting callers that the connection is closed.
    func close(_ reason: String) {
        let (jobs, waiting) = state.withLock { state in
            (state.isClosed, state.closingReason) = (true, reason)
            let left = (state.jobs, state.waiting)
            (state.jobs, state.waiting) = ([], [])
            return left
        }
        for job in jobs { job(nil) }
        for continuation in waiting { continuation.resume() }
    }

    private func wake() {
        var byte: UInt8 = 1
        _ = Glibc.write(pipe.write, &byte, 1)
    }
}
