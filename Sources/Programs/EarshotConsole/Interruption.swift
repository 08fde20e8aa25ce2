import Dispatch
import Glibc
import Synchronization

/// Signals that ask the program to end: Ctrl-C, a termination request, and a terminal that closes.
///
/// A separate thread receives them as ordinary code, so it can clean up whatever the working threads are waiting
/// for.
package enum Interruption {
    /// True from the first signal on. Loops that must clean up check it.
    package static var isRequested: Bool { requested.load(ordering: .relaxed) }

    private static let requested = Atomic(false)

    /// Locked during a step that must not be interrupted.
    private static let critical = Mutex(())

    /// From now on a signal runs `action` and then ends the process with exit code 128 plus the signal's number.
    package static func handle(_ action: @escaping @Sendable () -> Void = {}) {
        receive { number in
            action()
            end(number)
        }
    }

    private static func end(_ number: CInt) {
        // Not `exit`: it would tear down objects that other threads still use.
        critical.withLock { _ in _exit(128 + number) }
    }

    /// From now on a signal is a request to end, and `action` passes it on to the working thread, which ends by itself.
    /// A second signal, later than `echo`, ends the process at once.
    package static func request(_ action: @escaping @Sendable () -> Void) {
        receive { number in
            received.store(number, ordering: .relaxed)
            requestedSignal.signal()
            action()
            receive(after: echo) { end($0) }
        }
    }

    /// The number of the signal that requested the end; 0 before.
    package static var signalNumber: CInt { received.load(ordering: .relaxed) }

    private static let received = Atomic<CInt>(0)
    private static let requestedSignal = DispatchSemaphore(value: 0)

    /// Waits up to `seconds` for a signal. Returns true at once if one has come.
    package static func waitForRequest(seconds: Double) -> Bool {
        guard requestedSignal.wait(timeout: .now() + seconds) == .success else { return false }
        requestedSignal.signal()
        return true
    }

    /// For so long after a signal another one is the same request: coreutils' `timeout` sends each to the program and to its group.
    private static let echo = Duration.milliseconds(250)

    /// Waits for a signal on its own thread and gives its number to `action`. Signals within `pause` have no effect.
    private static func receive(after pause: Duration = .zero, _ action: @escaping @Sendable (CInt) -> Void) {
        let begin = ContinuousClock.now + pause
        var signals = sigset_t()
        sigemptyset(&signals)
        // The parent process may have chosen to ignore a signal for us, as nohup does.
        for number in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(number) {
            sigaddset(&signals, number)
        }
        // Threads inherit this mask, so only the thread below receives the signals.
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let awaited = signals
        DispatchQueue(label: "earshot.signals").async {
            var signals = awaited
            var number: CInt = 0
            repeat {
                guard sigwait(&signals, &number) == 0 else { return }
            } while ContinuousClock.now < begin
            requested.store(true, ordering: .relaxed)
            action(number)
        }
    }

    /// The action of commands whose working thread undoes its own work: waits up to 10 s for that, which a busy machine
    /// may need. A thread that waits for a slow reader has no file or device open. A second signal, later than
    /// `echo`, ends the process at once.
    package static func awaitSettled() {
        receive(after: echo) { end($0) }
        _ = settled.wait(timeout: .now() + 10)
    }

    /// Ends the process. The working thread calls it when it has undone everything.
    package static func settle() -> Never {
        settled.signal()
        while true { pause() }
    }

    private static let settled = DispatchSemaphore(value: 0)

    /// Runs `body` to its end before a signal ends the process.
    package static func deferred<Result>(_ body: () -> Result) -> Result {
        var result: Result?
        critical.withLock { _ in result = body() }
        return result!
    }

    private static func isIgnored(_ number: CInt) -> Bool {
        var present = sigaction()
        sigaction(number, nil, &present)
        return unsafeBitCast(present.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
