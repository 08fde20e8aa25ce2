import Dispatch
import Glibc
import Synchronization

/// Asks on a terminal: allow, deny, or learn more. Nothing is answered by default, and what was typed before does not count.
struct TerminalPrompt: Sendable {
    private static let choices = "[a]llow, [d]eny, [l]earn more? "
    /// Of a longer line the rest is left out.
    private static let longestLine = 256

    /// Where the answer comes from.
    var input: CInt = STDIN_FILENO
    /// Where the question goes.
    var output: CInt = STDERR_FILENO

    /// Whether somebody is there to be asked. A program in the background of a shell may not read: it would be stopped.
    var isAvailable: Bool {
        guard isatty(input) == 1, isatty(output) == 1 else { return false }
        let foreground = tcgetpgrp(input)
        // Without a foreground it is not the terminal that controls us, and does not stop us.
        return foreground < 0 || foreground == getpgrp()
    }

    /// - Returns: nil where the terminal went away, or the task was cancelled meanwhile.
    func ask(_ question: ConsentQuestion) async -> Bool? {
        tcflush(input, TCIFLUSH)
        say("\(question.text)\n\(Self.choices)")
        while true {
            guard let line = await Line.read(from: input, limit: Self.longestLine) else {
                say("\n")
                return nil
            }
            switch line.lowercased() {
            case "a", "allow": return true
            case "d", "deny": return false
            case "l", "learn", "learn more": say("\(question.explanation)\n\(Self.choices)")
            default: say(Self.choices)
            }
        }
    }

    private func say(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}

/// One line of a terminal, waited for without a thread.
private final class Line: Sendable {
    private struct State {
        var source: ReadSource?
        var waiting: CheckedContinuation<String?, Never>?
        var isOver = false
        var bytes: [UInt8] = []
    }

    private let state = Mutex(State())

    /// - Returns: nil at the end of the input, or where the task was cancelled.
    static func read(from descriptor: CInt, limit: Int) async -> String? {
        let line = Line()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { line.begin(descriptor, limit: limit, $0) }
        } onCancel: {
            line.finish(nil)
        }
    }

    private func begin(_ descriptor: CInt, limit: Int, _ waiting: CheckedContinuation<String?, Never>) {
        let isOver = state.withLock { state in
            guard !state.isOver else { return true }
            state.waiting = waiting
            state.source = ReadSource(descriptor, queue: .global()) { [self] in take(from: descriptor, limit: limit) }
            return false
        }
        if isOver { waiting.resume(returning: nil) }
    }

    private func take(from descriptor: CInt, limit: Int) {
        var bytes = [UInt8](repeating: 0, count: limit)
        // Somebody else may have read it in between.
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 0) > 0 else { return }
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        guard count > 0 else { return finish(nil) }
        let line = state.withLock { state -> String? in
            state.bytes += bytes[..<count].prefix(limit - min(limit, state.bytes.count))
            guard bytes[..<count].contains(UInt8(ascii: "\n")) else { return nil }
            let text = String(decoding: state.bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            return String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
        }
        if let line { finish(line) }
    }

    private func finish(_ line: String?) {
        let (source, waiting) = state.withLock { state in
            state.isOver = true
            defer { (state.source, state.waiting) = (nil, nil) }
            return (state.source, state.waiting)
        }
        source?.cancel()
        waiting?.resume(returning: line)
    }
}
