import Dispatch
import EarshotSystem
import Glibc
import NearbyWire

/// Calls a closure whenever a checked file or folder may have changed: its content, its owner or permissions, its
/// place, or the target of a link.
///
/// It watches the checked descriptors, not their paths, so no change is missed between the check and the watch.
final class CheckedPlaces: Sendable {
    private let descriptor: CInt
    private let source: ReadSource

    /// - Returns: nil, with the reason in `errno`, if the system has no inotify instance left.
    init?(queue: DispatchQueue, onChange: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        source = ReadSource(
            descriptor, queue: queue, onReadable: { if Self.hasChange(descriptor) { onChange() } },
            onEnd: { close(descriptor) })
    }

    deinit { source.cancel() }

    func add(_ place: PathOwnership.Place) {
        var mask = IN_ATTRIB | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVE_SELF | IN_DELETE_SELF
        if place.isIncomplete { mask |= IN_CREATE | IN_MOVED_TO }
        // A descriptor of a link leads to the link itself.
        _ = inotify_add_watch(descriptor, "/proc/self/fd/\(place.descriptor)", UInt32(mask) | UInt32(IN_MASK_ADD))
    }

    /// Whether any event is about a watched place. Watches of `/` and `/tmp` also report events of the files in them.
    private static func hasChange(_ descriptor: CInt) -> Bool {
        var hasChange = false
        var bytes = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return hasChange }
            bytes.withUnsafeBytes { bytes in
                var offset = 0
                let header = MemoryLayout<inotify_event>.size
                while offset + header <= count {
                    let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    if event.len == 0 || event.mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0 { hasChange = true }
                    offset += header + Int(event.len)
                }
            }
        }
    }
}
