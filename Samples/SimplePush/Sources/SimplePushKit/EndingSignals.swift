@preconcurrency import Dispatch
import Glibc

/// Waits for Ctrl-C and SIGTERM. A second one ends the program immediately.
public final class EndingSignals: Sendable {
    private let sources: [any DispatchSourceSignal]
    private let arrivals: AsyncStream<CInt>
    private let arrive: AsyncStream<CInt>.Continuation

    /// Takes the signals over from the system.
    public init() {
        let (arrivals, arrive) = AsyncStream<CInt>.makeStream()
        self.arrivals = arrivals
        self.arrive = arrive
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                signal(number, SIG_DFL)
                arrive.yield(number)
            }
            source.activate()
            return source
        }
        // A peer that has disconnected causes an error of the write, and must not end the program.
        signal(SIGPIPE, SIG_IGN)
    }

    deinit { for source in sources { source.cancel() } }

    /// Returns with the first signal, or when the task is cancelled.
    @discardableResult
    public func first() async -> CInt? {
        for await number in arrivals { return number }
        return nil
    }
}
