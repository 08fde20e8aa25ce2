import Glibc

/// The files of a database. They hold published messages and live tokens, so only their owner may read them.
enum DatabaseFiles {
    /// Takes the rights of other users from the existing files: the database, its write-ahead log, and the log's index.
    /// - Returns: the paths of those that others could read, write or run.
    /// - Throws: `AdministrationError` if a right cannot be taken away.
    static func protect(_ path: String) throws -> [String] {
        try [path, path + "-wal", path + "-shm"].filter { file in
            var status = stat()
            guard stat(file, &status) == 0, status.st_mode & 0o077 != 0 else { return false }
            guard chmod(file, status.st_mode & 0o700) == 0 else {
                throw AdministrationError(
                    description: "Other users may read '\(file)', and this user may not change that; "
                        + "run 'chmod 600' on it as its owner.")
            }
            return true
        }
    }
}
