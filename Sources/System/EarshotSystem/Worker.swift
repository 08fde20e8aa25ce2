import Dispatch
import Glibc
import Synchronization

/// A thread that runs one closure; its owner can ask it to end and wait for that.
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
            // Releases the objects that only the closure still owns, such as an open device, before `waitForEnd`
            // returns.
            body = nil
            ended.signal()
        }
    }

    private let stopRequested = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    package init() {}

    /// Whether the owner has asked it to end.
    package var isStopping: Bool { stopRequested.load(ordering: .acquiring) }

    /// Starts the thread; call it once.
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

    /// Asks the thread to end.
    package func requestStop() {
        stopRequested.store(true, ordering: .releasing)
    }

    /// Waits for the thread's end.
    /// - Returns: false if it has not ended after `seconds`: a driver or sound server blocks it.
    @discardableResult
    package func waitForEnd(seconds: Double) -> Bool {
        guard ended.wait(timeout: .now() + seconds) == .success else { return false }
        // The next waiting caller must find it ended too.
        ended.signal()
        return true
    }

    /// Sleeps for `seconds`, or until the owner asks the thread to end.
    package func pause(seconds: Double) {
        let end = MonotonicTime.nanoseconds + Int64(seconds * 1e9)
        while !isStopping, case let left = Double(end - MonotonicTime.nanoseconds) / 1e9, left > 0 {
            MonotonicTime.sleep(seconds: min(left, 0.02))
        }
    }
}
