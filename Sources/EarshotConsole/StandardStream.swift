import Glibc

/// Standard output and standard error, unbuffered: a line that was printed has left the process.
package enum StandardStream: CInt, Sendable {
    case output = 1
    case error = 2

    /// Makes a reader that goes away an error that can be handled, instead of a sudden end.
    package static func prepare() {
        signal(SIGPIPE, SIG_IGN)
    }

    package var isTerminal: Bool { isatty(rawValue) == 1 }

    /// Whether lines can be redrawn in place on it.
    package var isLiveTerminal: Bool {
        isTerminal && (getenv("TERM").map { String(cString: $0) != "dumb" } ?? false)
    }

    /// Runs `body` while nothing that anybody in this process writes here is seen.
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

    /// Writes `text`. When nobody reads standard output any more there is no point in going on: the process ends
    /// quietly. A full disk behind it ends the process too, with the reason.
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
            "Error: Cannot write standard output: \(String(cString: strerror(code))). Try another place to write to.")
        exit(ExitStatus.inputOutput.rawValue)
    }
}
