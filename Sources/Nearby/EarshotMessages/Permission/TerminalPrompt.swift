import Dispatch
import Glibc
import NearbyWire
import Synchronization

/// Asks a consent question on a terminal: allow, deny, or learn more. There is no default answer, and input typed before the
/// question does not count.
///
///     let configuration = MessageManager.Configuration.system(media: media, prompt: TerminalPrompt())
public struct TerminalPrompt: ConsentPrompt {
    private static let choices = "[a]llow, [d]eny, [l]earn more? "
    /// The maximum number of bytes of a line; the rest is discarded. No choice is longer.
    private static let maximumLineCount = 256

    private let input: CInt
    private let output: CInt

    /// A prompt on standard input and standard error.
    public init() {
        self.init(input: STDIN_FILENO, output: STDERR_FILENO)
    }

    /// A prompt on another terminal.
    /// - Parameters:
    ///   - input: the descriptor that the answer is read from. The prompt does not close it.
    ///   - output: the descriptor that the question is written to. The prompt does not close it.
    public init(input: CInt, output: CInt) {
        self.input = input
        self.output = output
    }

    /// nil if both descriptors are terminals and the program is in the terminal's foreground. The system would stop a background
    /// program that reads.
    public var obstacle: String? {
        guard isatty(input) == 1, isatty(output) == 1 else {
            return "its input and its standard error are not both a terminal; start it on one, and redirect neither"
        }
        let foreground = tcgetpgrp(input)
        // Without a foreground group, this is not the controlling terminal and does not stop the program.
        guard foreground < 0 || foreground == getpgrp() else {
            return "it is in the background of its terminal; start it in the foreground"
        }
        return nil
    }

    /// Writes the question and waits for a valid choice. It repeats the choices after any other line.
    /// - Returns: true for allow, false for deny, nil if the terminal went away or the task was cancelled.
    public func ask(_ question: ConsentQuestion) async -> Bool? {
        tcflush(input, TCIFLUSH)
        say("\(question.text)\n\(Self.choices)")
        while true {
            guard let line = await Line.read(from: input, limit: Self.maximumLineCount) else {
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

/// Waits for one line of a terminal without blocking a thread.
private final class Line: Sendable {
    private struct State {
        var source: ReadSource?
        var waiting: CheckedContinuation<String?, Never>?
        var isOver = false
        var bytes: [UInt8] = []
    }

    private let state = Mutex(State())

    /// - Returns: the line without white space at its ends; nil at the end of the input, or if the task is cancelled.
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
        // Another process may have read it meanwhile.
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&request, 1, 0) > 0 {
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR || errno == EAGAIN { return }
            guard count > 0 else { return finish(nil) }
            let line = state.withLock { state -> String? in
                state.bytes += bytes[..<count].prefix(limit - min(limit, state.bytes.count))
                guard bytes[..<count].contains(UInt8(ascii: "\n")) else { return nil }
                let text = String(decoding: state.bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
                return String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
            }
            if let line { return finish(line) }
        }
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
