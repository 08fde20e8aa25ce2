import EarshotDBus
import Glibc

/// The folder whose locks the user's programs share for one adapter. It exists from the first program on.
///
/// The kernel releases a lock when its process ends, so the folder needs no cleaning.
enum RadioFolder {
    /// The folder of an adapter, created if it is missing; nil if it cannot be created.
    static func path(_ bus: DBusBus, adapter: String) -> String? {
        let name =
            switch bus {
            case .system: adapter
            // A private bus has different adapters.
            case .session: "session-\(adapter)"
            case .address(let address):
                String(address.utf8.map { isPlain($0) ? Character(UnicodeScalar($0)) : "-" }.suffix(120))
                    + "-\(adapter)"
            }
        for parent in parents {
            let folder = "\(parent)/radio/\(name)"
            if make(parent), make("\(parent)/radio"), make(folder), make("\(folder)/scan"), make("\(folder)/air") {
                return folder
            }
        }
        return nil
    }

    /// Touches a file of the folder, to notify the programs that watch it.
    static func touch(_ folder: String?, _ name: String) {
        guard let folder else { return }
        let descriptor = open("\(folder)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR)
        // They notice when the file is closed.
        if descriptor >= 0 { close(descriptor) }
    }

    /// The possible parents of the folder: the same for all of the user's programs, also for those that were started
    /// without the session's environment.
    private static var parents: [String] {
        let runtime = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        return [runtime, "/run/user/\(getuid())"].compactMap(\.self).map { "\($0)/earshot" } + [
            "/tmp/earshot-\(getuid())"
        ]
    }

    /// Creates a folder that only its user may enter.
    /// - Returns: whether it exists and belongs to the user.
    private static func make(_ path: String) -> Bool {
        guard mkdir(path, S_IRWXU) == 0 || errno == EEXIST else { return false }
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == getuid()
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

/// A lock of a file in a radio's folder, shared or exclusive. If the file cannot be opened, each operation succeeds
/// without a lock.
struct RadioLock: Sendable {
    private static let pollInterval = Duration.milliseconds(3)
    private let descriptor: CInt

    /// - Parameter folder: The radio's folder; nil if there is none.
    init(_ folder: String?, _ name: String) {
        descriptor = folder.map { open("\($0)/\(name)", O_RDONLY | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR) } ?? -1
    }

    /// Closes the file; once, and last.
    func close() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
    }

    /// Takes the lock, or changes between shared and exclusive.
    /// - Returns: whether the lock is held as requested. If not, it is not held at all.
    func take(alone: Bool) -> Bool {
        descriptor < 0 || flock(descriptor, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0
    }

    /// The same with a time limit: a stopped program must not block the others.
    func take(alone: Bool, within limit: Duration) async -> Bool {
        let end = ContinuousClock.now + limit
        while !take(alone: alone) {
            guard ContinuousClock.now < end else { return false }
            // Also if the task is cancelled: the next steps are quick, and must be in order.
            await Task { try? await Task.sleep(for: Self.pollInterval) }.value
        }
        return true
    }

    /// Releases the lock, if it is held.
    func giveBack() {
        if descriptor >= 0 { flock(descriptor, LOCK_UN) }
    }
}
