import Dispatch
import EarshotSystem
import Glibc
import Synchronization

/// Waits for all watched descriptors of the process, on one thread that sleeps while nothing happens.
///
/// libdispatch's sources are not used, because on Linux their table of descriptors is not safe (Swift 6.3; issues 833 and 949 of
/// swift-corelibs-libdispatch): its manager ends a source whose other side hung up while `cancel` ends it on another thread. With 20,000
/// connections to the agent, one after another, one in about 3,000 was never read, and about one in 75,000 ended the process.
///
/// `poll` needs no table in the kernel, so it cannot fail to watch. Cost: a system call with all descriptors for each event, of which an
/// agent has at most 100.
final class DescriptorLoop: Sendable {
    static let shared = DescriptorLoop()

    private struct Watch {
        let descriptor: CInt
        let events: Int16
        let queue: DispatchQueue
        let onReady: @Sendable () -> Void
        /// False from the call of `onReady` to its return.
        var isArmed = true
    }

    private struct State {
        var watches: [Int: Watch] = [:]
        var lastNumber = 0
        var isRunning = false
    }

    private let state = Mutex(State())
    /// A pair of sockets that wakes the thread when the watches change; negative if the system has no descriptor left.
    private let bell: (output: CInt, input: CInt)

    private init() {
        var ends: [CInt] = [-1, -1]
        _ = socketpair(
            AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends)
        bell = (ends[0], ends[1])
    }

    /// Calls `onReady` on the queue whenever the descriptor is ready, or its other side is gone, until `end`.
    /// - Parameter events: POLLIN or POLLOUT.
    /// - Returns: a number for `end`.
    func watch(_ descriptor: CInt, _ events: Int32, queue: DispatchQueue, onReady: @escaping @Sendable () -> Void)
        -> Int
    {
        let (number, isFirst) = state.withLock { state in
            state.lastNumber += 1
            state.watches[state.lastNumber] = Watch(
                descriptor: descriptor, events: Int16(events), queue: queue, onReady: onReady)
            return (state.lastNumber, !exchange(&state.isRunning, with: true))
        }
        if isFirst { Worker().start { self.run() } } else { ring() }
        return number
    }

    /// Ends a watch. On a serial queue `onEnd` comes after the last call of `onReady`. A second call does nothing.
    func end(_ number: Int, onEnd: (@Sendable () -> Void)?) {
        guard let watch = state.withLock({ $0.watches.removeValue(forKey: number) }) else { return }
        ring()
        if let onEnd { watch.queue.async(execute: onEnd) }
    }

    private func run() {
        while true {
            // A watch that ends meanwhile is looked up in vain: numbers of watches, unlike those of descriptors, are used once.
            var numbers: [Int] = []
            var polled = [pollfd(fd: bell.output, events: Int16(POLLIN), revents: 0)]
            state.withLock { state in
                for (number, watch) in state.watches where watch.isArmed {
                    numbers.append(number)
                    polled.append(pollfd(fd: watch.descriptor, events: watch.events, revents: 0))
                }
            }
            // Without a bell it looks ten times a second.
            let readyCount = poll(&polled, nfds_t(polled.count), bell.output < 0 ? 100 : -1)
            // The system is short of memory: do not ask it without pause.
            if readyCount < 0, errno != EINTR { usleep(10_000) }
            guard readyCount > 0 else { continue }
            if polled[0].revents != 0 {
                var bytes = [UInt8](repeating: 0, count: 64)
                while read(bell.output, &bytes, bytes.count) == bytes.count {}
            }
            for (number, place) in zip(numbers, polled.dropFirst()) where place.revents != 0 { call(number) }
        }
    }

    private func call(_ number: Int) {
        let watch = state.withLock { state in
            state.watches[number]?.isArmed = false
            return state.watches[number]
        }
        watch?.queue.async { [self] in
            // It may have ended while the call waited.
            guard state.withLock({ $0.watches[number] != nil }) else { return }
            watch?.onReady()
            state.withLock { $0.watches[number]?.isArmed = true }
            ring()
        }
    }

    private func ring() {
        // A full socket rings already. Other failures are a signal, or memory that is short for a moment.
        for _ in 0..<3 {
            if write(bell.input, "a", 1) > 0 || errno == EAGAIN { return }
        }
    }
}
