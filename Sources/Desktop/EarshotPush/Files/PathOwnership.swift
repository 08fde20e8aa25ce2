package import Glibc

/// Checks that only the user and root can change what a path names.
package enum PathOwnership {
    /// Why another user could change the file or folder at a path, as the end of a sentence; nil if none can.
    ///
    /// The file and all folders above it must belong to root or to the user, and have no write permission for others. A folder above may
    /// be one such as `/tmp`, where each user can change only their own files.
    /// - Parameters:
    ///   - path: absolute. Links in it are followed.
    ///   - mayBeShared: whether the path itself may be such a folder too.
    package static func flaw(of path: String, user: uid_t = getuid(), mayBeShared: Bool = false) -> String? {
        guard let resolved = realpath(path, nil) else {
            return "cannot be read: \(String(cString: strerror(errno)).lowercased())"
        }
        defer { free(resolved) }
        var place = String(cString: resolved)
        var isFirst = true
        while true {
            var status = stat()
            guard lstat(place, &status) == 0 else {
                return "cannot be read: \(String(cString: strerror(errno)).lowercased())"
            }
            if let flaw = flaw(of: status, user: user, isAbove: !isFirst || mayBeShared) {
                return isFirst ? flaw : "is in \(place), which \(flaw)"
            }
            isFirst = false
            if place == "/" { return nil }
            let parent = place.split(separator: "/").dropLast()
            place = "/" + parent.joined(separator: "/")
        }
    }

    /// The same for one file or folder.
    /// - Parameter isAbove: whether it is a folder above another one, which users may share.
    static func flaw(of status: stat, user: uid_t = getuid(), isAbove: Bool = false) -> String? {
        guard status.st_uid == 0 || status.st_uid == user else { return "belongs to user \(status.st_uid)" }
        let isSticky = status.st_mode & S_IFMT == S_IFDIR && status.st_mode & S_ISVTX != 0
        guard status.st_mode & 0o022 == 0 || isAbove && isSticky else {
            return "can be changed by others (mode \(String(status.st_mode & 0o7777, radix: 8)))"
        }
        return nil
    }
}
