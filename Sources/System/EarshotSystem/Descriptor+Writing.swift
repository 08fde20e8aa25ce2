import Glibc

extension Descriptor {
    /// Writes all bytes and returns nil, or the `errno` of the failure. A closed pipe gives an error, not a signal.
    package func writeAll(_ bytes: UnsafeRawBufferPointer) -> CInt? {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let result = withoutBrokenPipeSignal { Glibc.write(number, rest.baseAddress, rest.count) }
            if result.count > 0 {
                written += result.count
                continue
            }
            switch result.code {
            case EINTR: continue
            case EAGAIN:
                var request = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                _ = poll(&request, 1, -1)
            default: return result.code
            }
        }
        return nil
    }
}

/// Runs `write` with SIGPIPE blocked on this thread, and removes the signal from the queue if the write raised it.
private func withoutBrokenPipeSignal(_ write: () -> Int) -> (count: Int, code: CInt) {
    var brokenPipe = sigset_t()
    var pending = sigset_t()
    var before = sigset_t()
    sigemptyset(&brokenPipe)
    sigaddset(&brokenPipe, SIGPIPE)
    sigpending(&pending)
    let wasPending = sigismember(&pending, SIGPIPE) == 1
    pthread_sigmask(SIG_BLOCK, &brokenPipe, &before)
    let count = write()
    let code = count < 0 ? errno : 0
    if code == EPIPE, !wasPending {
        var now = timespec()
        _ = sigtimedwait(&brokenPipe, nil, &now)
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
    return (count, code)
}
