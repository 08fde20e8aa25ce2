package import Glibc

/// Checks that only the user and root can change the file or folder at a path.
package enum PathOwnership {
    /// A file, folder or link on the way of a path, during the check.
    package struct Place {
        /// The descriptor of the folder, file or link itself, opened with `O_PATH`. It is closed after the check.
        package var descriptor: CInt
        /// Whether the path continues with a name that is not in this folder.
        package var isIncomplete: Bool
    }

    /// `O_PATH`, which Swift's Glibc module leaves out: the same number on all of Linux that Swift runs on.
    private static let pathOnly: CInt = 0o1000_0000
    /// The system follows the same number of links.
    private static let maximumLinkCount = 40

    /// The reason why another user could change the file or folder at a path, as the end of a sentence; nil if none
    /// can.
    ///
    /// The file, all folders above it, and the links on the way with the folders above them must belong to root or to the user, and have
    /// no write permission for others. A folder above may be one such as `/tmp`, where each user can change only their own files.
    ///
    /// Each place is opened in the one before it, so the check applies to the file that the path named, even if the
    /// path changes meanwhile.
    /// - Parameters:
    ///   - path: absolute. Links in it are followed.
    ///   - mayBeShared: whether the path itself may be such a folder too.
    ///   - onLook: receives each place before it is checked, from `/` on.
    package static func flaw(
        of path: String, user: uid_t = getuid(), mayBeShared: Bool = false, onLook: (Place) -> Void = { _ in }
    ) -> String? {
        var rest = path.split(separator: "/").map(String.init)
        // The folders from `/` to the present place, with their names.
        var places: [(name: String, descriptor: CInt)] = []
        defer { for place in places { close(place.descriptor) } }
        var linkCount = 0
        func unreadable() -> String { "cannot be read: \(String(cString: strerror(errno)).lowercased())" }
        func look(_ descriptor: CInt, isLast: Bool, _ name: String) -> String? {
            onLook(Place(descriptor: descriptor, isIncomplete: false))
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return unreadable() }
            guard let flaw = flaw(of: status, user: user, isAbove: !isLast || mayBeShared) else { return nil }
            return isLast ? flaw : "is in \(name), which \(flaw)"
        }
        let root = open("/", pathOnly | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else { return unreadable() }
        places.append(("", root))
        if let flaw = look(root, isLast: rest.isEmpty, "/") { return flaw }
        while !rest.isEmpty {
            let name = rest.removeFirst()
            guard let parent = places.last, name != "." else { continue }
            if name == ".." {
                if places.count > 1, let last = places.popLast() { close(last.descriptor) }
                continue
            }
            let descriptor = openat(parent.descriptor, name, pathOnly | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else {
                let sentence = unreadable()
                onLook(Place(descriptor: parent.descriptor, isIncomplete: true))
                return sentence
            }
            let place = "\(parent.name)/\(name)"
            var target = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlinkat(descriptor, "", &target, target.count - 1)
            guard count >= 0 else {
                places.append((place, descriptor))
                if let flaw = look(descriptor, isLast: rest.isEmpty, place) { return flaw }
                continue
            }
            defer { close(descriptor) }
            onLook(Place(descriptor: descriptor, isIncomplete: false))
            // A link cannot be written, only replaced; its folder's permissions control that.
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return unreadable() }
            guard isTrusted(status, user) else { return "goes through the link \(place) of user \(status.st_uid)" }
            linkCount += 1
            guard linkCount <= maximumLinkCount else {
                errno = ELOOP
                return unreadable()
            }
            let text = String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasPrefix("/") {
                while places.count > 1, let last = places.popLast() { close(last.descriptor) }
            }
            rest = text.split(separator: "/").map(String.init) + rest
        }
        return nil
    }

    /// The same for one file or folder.
    /// - Parameter isAbove: whether it is a folder above another one, which users may share.
    static func flaw(of status: stat, user: uid_t = getuid(), isAbove: Bool = false) -> String? {
        guard isTrusted(status, user) else { return "belongs to user \(status.st_uid)" }
        let isSticky = status.st_mode & S_IFMT == S_IFDIR && status.st_mode & S_ISVTX != 0
        guard status.st_mode & 0o022 == 0 || isAbove && isSticky else {
            return "can be changed by others (mode \(String(status.st_mode & 0o7777, radix: 8)))"
        }
        return nil
    }

    private static func isTrusted(_ status: stat, _ user: uid_t) -> Bool { status.st_uid == 0 || status.st_uid == user }
}
