import Glibc

/// How many files and connections the process may have open.
///
/// Connections must not take what the database needs: where they run out, its readers cannot be opened. So no more
/// are taken than leave it some.
enum FileDescriptors {
    /// For the database, its log, the readers, the event loops, and connections that are being refused.
    private static let reserve = 192

    /// Raises the limit to what the system allows.
    /// - Returns: how many connections it is enough for, ≥ 1.
    static func connectionsAfterRaising() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1 }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(resource, &limit)
        guard getrlimit(resource, &limit) == 0 else { return 1 }
        return max(1, Int(clamping: limit.rlim_cur) - reserve)
    }
}
