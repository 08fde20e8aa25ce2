import Foundation

/// The files of a database. They hold published messages and live tokens, so only their owner may read them.
enum DatabaseFiles {
    /// Takes the rights of other users from the existing files: the database, its write-ahead log, and the log's index.
    /// - Returns: the paths of those that others could read, write or run.
    /// - Throws: `AdministrationError` if a right cannot be taken away.
    static func protect(_ path: String) throws -> [String] {
        // A link has no rights of its own.
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        return try [path, path + "-wal", path + "-shm"].filter { file in
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            guard let rights = attributes?[.posixPermissions] as? Int, rights & 0o077 != 0 else { return false }
            do {
                try FileManager.default.setAttributes([.posixPermissions: rights & 0o700], ofItemAtPath: file)
            } catch {
                throw AdministrationError(
                    description: "Other users may read '\(file)', and this user may not change that; "
                        + "run 'chmod 600' on it as its owner.")
            }
            return true
        }
    }
}
