package import Dispatch
import Glibc

/// Calls a closure whenever a folder may have changed, also when it appears, disappears, is replaced or gets other permissions.
/// It uses inotify.
///
/// If the folder does not exist, this watches its deepest existing parent until the folder appears. It does not notice
/// when a parent of an existing folder is renamed.
package final class FolderWatch: Sendable {
    private let source: ReadSource

    /// - Returns: nil, with the reason in `errno`, if the system has no inotify instance left.
    package init?(folder: String, queue: DispatchQueue, onChange: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        let place = WatchedPlace(descriptor: descriptor, folder: folder)
        place.settle()
        source = ReadSource(
            descriptor, queue: queue,
            onReadable: {
                place.drain()
                place.settle()
                onChange()
            }, onEnd: { close(descriptor) })
    }

    deinit {
        source.cancel()
    }
}

/// The currently watched folder. Used by one queue at a time.
private final class WatchedPlace: @unchecked Sendable {
    private let descriptor: CInt
    /// The folder and its parents, deepest first.
    private let candidates: [String]
    private var watched: CInt = -1

    init(descriptor: CInt, folder: String) {
        self.descriptor = descriptor
        var components = folder.split(separator: "/")
        var candidates: [String] = []
        while !components.isEmpty {
            candidates.append("/" + components.joined(separator: "/"))
            components.removeLast()
        }
        self.candidates = candidates + ["/"]
    }

    /// Watches the deepest candidate that exists.
    func settle() {
        // A deeper folder may appear between the search and the watch, so the search is repeated.
        for _ in 0..<16 {
            guard let (index, number) = deepest() else { return }
            if number != watched {
                if watched >= 0 { inotify_rm_watch(descriptor, watched) }
                watched = number
            }
            guard index > 0, access(candidates[index - 1], F_OK) == 0 else { return }
        }
    }

    private func deepest() -> (Int, CInt)? {
        let mask =
            IN_CREATE | IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF
            | IN_MOVE_SELF | IN_ONLYDIR
        for (index, path) in candidates.enumerated() {
            // inotify returns the same watch for the same folder.
            let number = inotify_add_watch(descriptor, path, UInt32(mask))
            if number >= 0 { return (index, number) }
        }
        return nil
    }

    /// Discards the events: after any event, everything is read again.
    func drain() {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while read(descriptor, &bytes, bytes.count) > 0 {}
    }
}
