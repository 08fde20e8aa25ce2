import Glibc

/// The socket on which systemd listens before it starts the agent.
enum SystemdSocket {
    /// systemd passes its sockets from this number on.
    private static let firstDescriptor: CInt = 3

    /// The socket in `LISTEN_FDS`; nil if systemd passed none to this process. Call it once, before threads start: it
    /// removes the variables, which must not reach the apps.
    static func take() -> CInt? {
        let (process, count) = (value("LISTEN_PID"), value("LISTEN_FDS"))
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
        guard process == getpid(), let count, count >= 1 else { return nil }
        _ = fcntl(firstDescriptor, F_SETFD, FD_CLOEXEC)
        return firstDescriptor
    }

    private static func value(_ name: String) -> CInt? { getenv(name).flatMap { CInt(String(cString: $0)) } }
}
