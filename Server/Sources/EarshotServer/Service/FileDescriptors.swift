import Glibc

/// The number of files and connections that the process may open.
///
/// The database needs descriptors to open its readers. So the service limits connections to leave a reserve.
enum FileDescriptors {
    /// The reserve for the database, its log, the readers, the event loops, and connections being rejected.
    private static let reserve = 192

    /// Raises the limit to the maximum that the system allows.
    /// - Returns: the number of connections that it allows, ≥ 1.
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
