import Glibc

/// Whether this process is in the foreground of its terminal.
enum TerminalForeground {
    /// Whether the process group owns its controlling terminal. False without a terminal, as for a service.
    static var isForeground: Bool {
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard terminal >= 0 else { return false }
        defer { close(terminal) }
        return owns(terminal)
    }

    static func owns(_ terminal: Int32) -> Bool {
        tcgetpgrp(terminal) == getpgrp()
    }
}
