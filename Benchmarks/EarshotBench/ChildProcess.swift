import Foundation

/// A running program with pipes to and from it. One thread at a time may use it.
final class ChildProcess: @unchecked Sendable {
    let name: String
    private var child = pid_t()
    private var input: Int32
    private let output: Int32
    private var isReaped = false

    // While a pipe is made and marked, no other thread may start a program, which would keep the pipe open for ever.
    private static let starting = NSLock()

    /// The maximum wait in seconds: longer than any peer takes for ten minutes of sound.
    static let patienceSeconds: Int32 = 120

    /// Starts `arguments[0]`, searched for as by a shell. Its error stream is this
    /// process's, or discarded if `isQuiet`.
    init(_ arguments: [String], isQuiet: Bool = false) throws {
        name = arguments[0]
        var toChild: [Int32] = [0, 0]
        var fromChild: [Int32] = [0, 0]
        Self.starting.lock()
        defer { Self.starting.unlock() }
        guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else {
            throw PeerError("no pipe to \(name): \(String(cString: strerror(errno)))")
        }
        for descriptor in toChild + fromChild {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        if isQuiet { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
        defer { posix_spawn_file_actions_destroy(&actions) }
        var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { argv.forEach { free($0) } }
        let result = posix_spawnp(&child, arguments[0], &actions, nil, &argv, environ)
        close(toChild[0])
        close(fromChild[1])
        // So that a read from a program that hangs can time out.
        _ = fcntl(toChild[1], F_SETFL, O_NONBLOCK)
        _ = fcntl(fromChild[0], F_SETFL, O_NONBLOCK)
        (input, output) = (toChild[1], fromChild[0])
        guard result == 0 else {
            isReaped = true
            throw PeerError("cannot start \(name): \(String(cString: strerror(result)))")
        }
    }

    deinit {
        closeInput()
        close(output)
        if !isReaped { waitpid(child, nil, 0) }
    }

    /// Writes all bytes. An error shows that the program has ended, so SIGPIPE must be ignored.
    func write(_ data: UnsafeRawBufferPointer) throws {
        var rest = data[...]
        while !rest.isEmpty {
            try wait(for: input, Int16(POLLOUT), seconds: Self.patienceSeconds)
            let count = Foundation.write(input, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            guard count > 0 || errno == EAGAIN else {
                throw PeerError("\(name) stopped listening: \(String(cString: strerror(errno)))")
            }
            rest = rest.dropFirst(max(count, 0))
        }
    }

    /// Fills `data`.
    func read(into data: UnsafeMutableRawBufferPointer) throws {
        var filled = 0
        while filled < data.count {
            try wait(for: output, Int16(POLLIN), seconds: Self.patienceSeconds)
            let count = Foundation.read(output, data.baseAddress! + filled, data.count - filled)
            guard count > 0 else { throw PeerError("\(name) ended without an answer") }
            filled += count
        }
    }

    func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    /// Reads its output to the end, and the processor time that it and its children took.
    /// - Parameters:
    ///   - statuses: the exit statuses that mean success.
    ///   - patienceSeconds: the maximum silence.
    func finish(
        statuses: Set<Int32> = [0], patienceSeconds: Int32 = patienceSeconds
    ) throws -> (output: [UInt8], seconds: Double) {
        closeInput()
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        var count = 0
        repeat {
            try wait(for: output, Int16(POLLIN), seconds: patienceSeconds)
            count = Foundation.read(output, &block, block.count)
            bytes += block[..<max(count, 0)]
        } while count > 0
        var status: Int32 = 0
        var usage = rusage()
        wait4(child, &status, 0, &usage)
        isReaped = true
        // The low seven bits are a signal's number, the next eight the exit status.
        guard status & 0x7F == 0, statuses.contains(status >> 8) else {
            throw PeerError("\(name) failed: wait status \(status)")
        }
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
        return (bytes, seconds(usage.ru_utime) + seconds(usage.ru_stime))
    }

    /// Returns when the pipe is ready or has ended. Ends a program that takes too long.
    private func wait(for descriptor: Int32, _ events: Int16, seconds: Int32) throws {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        guard poll(&entry, 1, 1_000 * seconds) > 0 else {
            kill(child, SIGKILL)
            throw PeerError("\(name) did nothing for \(seconds) s")
        }
    }
}
