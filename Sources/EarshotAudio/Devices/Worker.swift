import Dispatch
import Glibc
import Synchronization

/// A thread that runs one closure, is asked to end, and is waited for.
package final class Worker: Sendable {
    private final class Launch {
        private var body: (() -> Void)?
        private let ended: DispatchSemaphore

        init(_ body: @escaping () -> Void, ended: DispatchSemaphore) {
            self.body = body
            self.ended = ended
        }

        func run() {
            body?()
            // What only the closure still owns, an open device for one, goes before anybody is told.
            body = nil
            ended.signal()
        }
    }

    private let stopRequested = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    package init() {}

    /// Whether it has been asked to end.
    package var isStopping: Bool { stopRequested.load(ordering: .acquiring) }

    /// Starts the thread; once.
    package func start(_ body: @escaping @Sendable () -> Void) {
        let launch = Unmanaged.passRetained(Launch(body, ended: ended))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { pointer in
                if let pointer { Unmanaged<Launch>.fromOpaque(pointer).takeRetainedValue().run() }
                return nil
            }, launch.toOpaque())
        precondition(code == 0, "no more threads")
        pthread_detach(thread)
    }

    /// Asks it to end.
    package func requestStop() {
        stopRequested.store(true, ordering: .releasing)
    }

    /// Waits for its end.
    /// - Returns: false when it has not ended after `seconds`: a driver or sound server keeps it.
    @discardableResult
    package func waitForEnd(seconds: Double) -> Bool {
        guard ended.wait(timeout: .now() + seconds) == .success else { return false }
        // Whoever waits next finds it ended too.
        ended.signal()
        return true
    }

    /// Sleeps, unless it is asked to end.
    package func pause(seconds: Double) {
        let end = MonotonicTime.nanoseconds + Int64(seconds * 1e9)
        while !isStopping, case let left = Double(end - MonotonicTime.nanoseconds) / 1e9, left > 0 {
            MonotonicTime.sleep(seconds: min(left, 0.02))
        }
    }
}
