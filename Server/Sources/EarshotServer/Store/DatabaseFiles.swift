import Foundation
import Glibc

/// The files of a database. They hold published messages and live tokens, so only their owner may read them.
enum DatabaseFiles {
    /// The first bytes of every SQLite file, https://www.sqlite.org/fileformat2.html#magic_header_string
    private static let header = Array("SQLite format 3\0".utf8)

    /// Checks that a path names a database, no file, or an empty file, which SQLite can turn into one. Changes nothing.
    ///
    /// It runs before anything is created or protected, so a command with a wrong path leaves the existing file
    /// unchanged.
    /// - Throws: `AdministrationError` if something else has that path, or if this user cannot read it.
    static func check(_ path: String) throws {
        let type: FileAttributeType
        do {
            type =
                try FileManager.default.attributesOfItem(atPath: target(path))[.type] as? FileAttributeType
                ?? .typeUnknown
        } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            guard access(folder, W_OK) != 0 else { return }
            throw AdministrationError(
                description: "Cannot create '\(path)': \(String(cString: strerror(errno)))."
                    + (errno == EACCES || errno == EROFS
                        ? " Name the service's database with --database, such as /var/lib/earshotd/earshotd.sqlite, and run the command as its user."
                        : ""))
        } catch CocoaError.fileReadNoPermission {
            throw failure(path, EACCES)
        } catch {
            throw AdministrationError(description: "Cannot read '\(path)': \(error.localizedDescription)")
        }
        guard type == .typeRegular else {
            let kind = type == .typeDirectory ? "a folder" : "not a regular file"
            throw AdministrationError(
                description: "'\(path)' is \(kind), not a database. Name the file of a database.")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(path, errno) }
        defer { close(descriptor) }
        var start = [UInt8](repeating: 0, count: header.count)
        let count = pread(descriptor, &start, start.count, 0)
        guard count >= 0 else { throw failure(path, errno) }
        guard access(path, W_OK) == 0 else {
            throw AdministrationError(
                description:
                    "Cannot write '\(path)': \(String(cString: strerror(errno))). Run the command as the user who owns it."
            )
        }
        guard count == 0 || start[..<count] == header[...] else {
            throw AdministrationError(
                description: "'\(path)' is not a SQLite database. Name the file of one.")
        }
    }

    /// The file that a path leads to: a link has no permissions of its own.
    private static func target(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }

    private static func failure(_ path: String, _ reason: Int32) -> AdministrationError {
        AdministrationError(
            description: "Cannot read '\(path)': \(String(cString: strerror(reason)))."
                + (reason == EACCES
                    ? " Run the command as the service's user, and name the service's database." : ""))
    }

    /// Removes other users' permissions on the existing files: the database, its write-ahead log, and the log's index.
    /// - Parameter path: a path that passed `check`.
    /// - Returns: the paths of the files that others could read, write or run.
    /// - Throws: `AdministrationError` if a file belongs to another user, who alone may remove them.
    static func protect(_ path: String) throws -> [String] {
        let path = target(path)
        return try [path, path + "-wal", path + "-shm"].filter { file in
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            guard let rights = attributes?[.posixPermissions] as? Int, rights & 0o077 != 0,
                attributes?[.type] as? FileAttributeType == .typeRegular
            else { return false }
            // The superuser could change the permissions of every file, but must not.
            guard attributes?[.ownerAccountID] as? Int == Int(geteuid()), chmod(file, mode_t(rights & 0o700)) == 0
            else {
                throw AdministrationError(
                    description: "Other users may read '\(file)', and this user may not change that; "
                        + "run 'chmod 600' on it as its owner.")
            }
            return true
        }
    }
}
