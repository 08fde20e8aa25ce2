import Glibc
import Synchronization

/// Whether the program is in the foreground.
///
/// A program on a terminal is in the foreground while its process group owns the terminal: not after Ctrl-Z, and not if
/// it was started with `&`. A program without a terminal, such as a service, is in the background. A program with
/// windows sets its state itself, with `set`.
public final class Foreground: Sendable {
    private struct State {
        var said: Bool?
        var last: Bool?
        var readers: [Int: AsyncStream<Bool>.Continuation] = [:]
        var count = 0
        var polling: Task<Void, Never>?
    }

    /// The foreground state of this process.
    public static let shared = Foreground()

    private let interval: Duration
    private let ownsTerminal: @Sendable () -> Bool
    private let state = Mutex(State())

    convenience init() {
        self.init(interval: .seconds(1), ownsTerminal: Self.ownsTerminal)
    }

    /// - Parameters:
    ///   - interval: the time between two checks of the terminal, while `changes` is read.
    ///   - ownsTerminal: replaces the terminal in tests.
    package init(interval: Duration, ownsTerminal: @escaping @Sendable () -> Bool) {
        self.interval = interval
        self.ownsTerminal = ownsTerminal
    }

    /// Whether the program is in the foreground now.
    public var isActive: Bool { state.withLock(\.said) ?? ownsTerminal() }

    /// Sets the state, in place of the terminal.
    /// - Parameter isActive: true for the foreground, false for the background; nil to follow the terminal again.
    public func set(_ isActive: Bool?) {
        state.withLock { $0.said = isActive }
        look()
    }

    /// Whether the program is in the foreground now, and then each change. While a stream is read, the terminal is
    /// checked once a second, because no signal reports every change. Each call returns a new stream.
    public var changes: AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        let isActive = isActive
        let number = state.withLock { state in
            state.count += 1
            state.last = state.last ?? isActive
            continuation.yield(state.last ?? isActive)
            state.readers[state.count] = continuation
            if state.polling == nil { state.polling = Task { await self.poll() } }
            return state.count
        }
        continuation.onTermination = { [self] _ in
            let polling = state.withLock { state -> Task<Void, Never>? in
                state.readers[number] = nil
                guard state.readers.isEmpty else { return nil }
                state.last = nil
                defer { state.polling = nil }
                return state.polling
            }
            polling?.cancel()
        }
        return stream
    }

    /// Checks now, for a program that knows of a change.
    package func check() { look() }

    private func poll() async {
        while !Task.isCancelled, (try? await Task.sleep(for: interval, tolerance: interval / 5)) != nil { look() }
    }

    private func look() {
        let isActive = isActive
        let readers = state.withLock { state in
            guard state.last != nil, state.last != isActive else { return [AsyncStream<Bool>.Continuation]() }
            state.last = isActive
            return Array(state.readers.values)
        }
        for reader in readers { reader.yield(isActive) }
    }

    /// Whether this process's group owns its controlling terminal.
    private static let ownsTerminal: @Sendable () -> Bool = {
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard terminal >= 0 else { return false }
        defer { close(terminal) }
        return tcgetpgrp(terminal) == getpgrp()
    }
}
