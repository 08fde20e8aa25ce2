import Glibc

/// Standard output and standard error, unbuffered: a printed line leaves the process at once.
package enum StandardStream: CInt, Sendable {
    case output = 1
    case error = 2

    /// Turns SIGPIPE into an error of `write`, so that a reader that closes the pipe does not end the process without
    /// a chance to clean up.
    package static func prepare() {
        signal(SIGPIPE, SIG_IGN)
    }

    package var isTerminal: Bool { isatty(rawValue) == 1 }

    /// Whether the stream is a terminal that can redraw a line in place.
    package var isLiveTerminal: Bool {
        isTerminal && (getenv("TERM").map { String(cString: $0) != "dumb" } ?? false)
    }

    /// Runs `body` while everything that this process writes to the stream is discarded.
    package func silenced<Result>(_ body: () throws -> Result) rethrows -> Result {
        let kept = fcntl(rawValue, F_DUPFD_CLOEXEC, 3)
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer {
            if kept >= 0 {
                dup2(kept, rawValue)
                close(kept)
            }
            if nowhere >= 0 { close(nowhere) }
        }
        if kept >= 0, nowhere >= 0 { dup2(nowhere, rawValue) }
        return try body()
    }

    /// Writes `text` and a newline.
    package func print(_ text: String) {
        write(text + "\n")
    }

    /// Writes `text`. If the reader of standard output has closed the pipe, the process ends quietly, because further
    /// work has no purpose. A full disk behind standard output ends the process too, with the reason.
    package func write(_ text: String) {
        var text = text
        let code: CInt? = text.withUTF8 { bytes in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[written...])
                let count = Glibc.write(rawValue, rest.baseAddress, rest.count)
                if count >= 0 {
                    written += count
                } else if errno == EAGAIN {
                    var request = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&request, 1, -1)
                } else if errno != EINTR {
                    return errno
                }
            }
            return nil
        }
        guard let code, self == .output else { return }
        if code == EPIPE { exit(ExitStatus.brokenPipe.rawValue) }
        StandardStream.error.print(
            "Error: Cannot write standard output: \(String(cString: strerror(code))). Write to another place.")
        exit(ExitStatus.inputOutput.rawValue)
    }
}
