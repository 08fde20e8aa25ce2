import Dispatch
import Glibc

/// Tells whenever something may have changed in a folder, by inotify: also when the folder comes, goes, or is replaced.
///
/// Where the folder is not there yet, the deepest one above it that is there is watched until it comes. That one of the folders
/// above a folder that is there is renamed is not noticed.
final class FolderWatch: Sendable {
    private let source: ReadSource

    /// - Returns: nil with the reason in `errno` where the system has no more to give.
    init?(folder: String, queue: DispatchQueue, onChange: @escaping @Sendable () -> Void) {
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

/// Which folder is watched now. Used by one queue at a time.
private final class WatchedPlace: @unchecked Sendable {
    private let descriptor: CInt
    /// The folder, and those above it.
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

    /// Watches the deepest of the candidates that is there.
    func settle() {
        // The next deeper one may come between a look and the watch; so it is looked again.
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
            IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
            | IN_ONLYDIR
        for (index, path) in candidates.enumerated() {
            // The same folder again is the same watch.
            let number = inotify_add_watch(descriptor, path, UInt32(mask))
            if number >= 0 { return (index, number) }
        }
        return nil
    }

    /// What happened does not matter, only that something did: everything is looked at again.
    func drain() {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while read(descriptor, &bytes, bytes.count) > 0 {}
    }
}
