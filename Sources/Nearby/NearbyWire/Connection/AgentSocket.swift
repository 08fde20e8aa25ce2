package import Glibc

/// The Unix socket of the user's agent.
package enum AgentSocket {
    /// `EARSHOT_AGENT_SOCKET`, or `$XDG_RUNTIME_DIR/earshot/agent.sock`; nil without either.
    package static var systemPath: String? {
        if let path = environment("EARSHOT_AGENT_SOCKET"), path.hasPrefix("/") { return path }
        guard let folder = environment("XDG_RUNTIME_DIR"), folder.hasPrefix("/") else { return nil }
        return "\(folder)/earshot/agent.sock"
    }

    /// Connects to the agent.
    /// - Returns: a descriptor; negative, with the reason in `errno`, if it cannot connect, or if another user listens.
    package static func connect(path: String) -> CInt {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return -1 }
        let isConnected = withAddress(path) { Glibc.connect(descriptor, $0, $1) == 0 }
        // A socket that another user put there must not learn keys.
        if isConnected, peer(descriptor)?.user == getuid() { return descriptor }
        let code = isConnected ? EPERM : errno
        close(descriptor)
        errno = code
        return -1
    }

    /// Binds a new socket that only its owner may use.
    /// - Returns: a descriptor; negative, with the reason in `errno`, if that fails. A file that is no socket stays: EEXIST.
    package static func listen(path: String, backlog: CInt = 16) -> CInt {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return -1 }
        var status = stat()
        if lstat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFSOCK else {
                close(descriptor)
                errno = EEXIST
                return -1
            }
            unlink(path)
        }
        let mask = umask(0o177)
        let isBound = withAddress(path) { bind(descriptor, $0, $1) == 0 }
        let code = errno
        umask(mask)
        if isBound, Glibc.listen(descriptor, backlog) == 0 { return descriptor }
        close(descriptor)
        errno = isBound ? errno : code
        return -1
    }

    /// The process and the user at the other end of a connection, as the kernel knows them.
    package static func peer(_ descriptor: CInt) -> (process: pid_t, user: uid_t)? {
        // struct ucred, which Swift does not import: process, user, group.
        var credentials: (pid_t, uid_t, gid_t) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
        return (credentials.0, credentials.1)
    }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        // The path ends with a zero.
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path), !bytes.contains(0) else {
            errno = ENAMETOOLONG
            return false
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
