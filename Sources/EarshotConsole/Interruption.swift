import Dispatch
import Glibc
import Synchronization

/// Ctrl-C, a termination request, and a terminal that closes.
///
/// They arrive on a thread of their own, as ordinary code: what must be put in order is put in order there, whatever
/// the working threads are waiting for.
package enum Interruption {
    /// True from the first signal on; loops that hold something which must be removed look at it.
    package static var isRequested: Bool { requested.load(ordering: .relaxed) }

    private static let requested = Atomic(false)

    /// Held while something is half done that must not be left so.
    private static let critical = Mutex(())

    /// From now on a signal runs `action` and then ends the process with 128 and the signal's number.
    package static func handle(_ action: @escaping @Sendable () -> Void = {}) {
        receive { number in
            action()
            end(number)
        }
    }

    private static func end(_ number: CInt) {
        // Not `exit`: other threads are still at work on what it would tear down.
        critical.withLock { _ in _exit(128 + number) }
    }

    /// From now on a signal is a request to end, which `action` passes on; whoever works ends then by itself. A second
    /// one ends the process at once.
    package static func request(_ action: @escaping @Sendable () -> Void) {
        receive { number in
            received.store(number, ordering: .relaxed)
            requestedSignal.signal()
            action()
            receive { end($0) }
        }
    }

    /// The signal that asked for the end, 0 before.
    package static var signalNumber: CInt { received.load(ordering: .relaxed) }

    private static let received = Atomic<CInt>(0)
    private static let requestedSignal = DispatchSemaphore(value: 0)

    /// Waits; true at once when a signal has come.
    package static func waitForRequest(seconds: Double) -> Bool {
        guard requestedSignal.wait(timeout: .now() + seconds) == .success else { return false }
        requestedSignal.signal()
        return true
    }

    /// Waits for a signal on a thread of its own, and gives its number to `action`.
    private static func receive(_ action: @escaping @Sendable (CInt) -> Void) {
        var signals = sigset_t()
        sigemptyset(&signals)
        // Who started us may have chosen that a signal is not for us, as nohup does.
        for number in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(number) {
            sigaddset(&signals, number)
        }
        // Threads inherit this, so the one below is the only one that receives them.
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let awaited = signals
        DispatchQueue(label: "earshot.signals").async {
            var signals = awaited
            var number: CInt = 0
            guard sigwait(&signals, &number) == 0 else { return }
            requested.store(true, ordering: .relaxed)
            action(number)
        }
    }

    /// The action of commands whose working thread takes back by itself what it has begun: gives it time for that. A
    /// thread that waits for a slow reader meanwhile holds nothing that has a name.
    package static func awaitSettled() {
        _ = settled.wait(timeout: .now() + 2)
    }

    /// Called by the working thread when nothing is left to take back: the process ends.
    package static func settle() -> Never {
        settled.signal()
        while true { pause() }
    }

    private static let settled = DispatchSemaphore(value: 0)

    /// Lets `body` end before a signal ends the process.
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
