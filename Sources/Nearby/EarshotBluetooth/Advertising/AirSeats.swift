import Dispatch
import Glibc
import NearbyWire

/// The seats of a program among all programs that send with one adapter of Bluetooth 4, and the lock of the program
/// that is on the air.
///
/// A seat is a locked byte of a file, so it is freed when its process ends.
final class AirSeats: Sendable {
    /// With more seats, each would wait too long for its turn.
    static let maximumCount = 64
    /// How long the previous program may take to leave the air.
    private static let limit = Duration.seconds(1)
    // fcntl.h, for x86 and ARM alike; they are not imported.
    private static let getLock: CInt = 36
    private static let setLock: CInt = 37

    private let folder: String?
    private let descriptor: CInt
    private let air: RadioLock
    private let watch: FolderWatch?

    /// - Parameters:
    ///   - folder: The radio's folder; nil if there is none, and then no other programs are known.
    ///   - onChange: called when other programs may have come or gone.
    init(_ folder: String?, onChange: @escaping @Sendable () -> Void) {
        self.folder = folder
        descriptor = folder.map { open("\($0)/air/seats", O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR) } ?? -1
        air = RadioLock(folder, "sender")
        watch = folder.flatMap {
            FolderWatch(folder: "\($0)/air", queue: DispatchQueue(label: "earshot.seats"), onChange: onChange)
        }
    }

    deinit {
        air.close()
        // The other programs notice when the file is closed.
        if descriptor >= 0 { close(descriptor) }
    }

    /// Whether the program is notified when others come and go.
    var isTold: Bool { watch != nil }

    /// The seats of other programs.
    var others: [Int] {
        guard descriptor >= 0 else { return [] }
        return (0..<Self.maximumCount).filter { seat in
            var lock = Self.lock(F_WRLCK, seat)
            return fcntl(descriptor, Self.getLock, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
        }
    }

    /// Takes more seats, or returns some.
    /// - Returns: the seats that are held now.
    func hold(_ count: Int, of held: [Int]) -> [Int] {
        var held = held
        while held.count > count { release(held.removeLast()) }
        guard held.count < count else { return held }
        for seat in 0..<Self.maximumCount where held.count < count && !held.contains(seat) {
            var lock = Self.lock(F_WRLCK, seat)
            // Without a file every seat is free.
            if descriptor < 0 || fcntl(descriptor, Self.setLock, &lock) == 0 { held.append(seat) }
        }
        RadioFolder.touch(folder, "air/touched")
        return held.sorted()
    }

    /// Waits until no other program is on the air.
    /// - Returns: false if one is still there after a while.
    func takeAir() async -> Bool { await air.take(alone: true, within: Self.limit) }

    /// Releases the air for other programs.
    func leaveAir() { air.giveBack() }

    private func release(_ seat: Int) {
        var lock = Self.lock(F_UNLCK, seat)
        _ = fcntl(descriptor, Self.setLock, &lock)
    }

    private static func lock(_ type: CInt, _ seat: Int) -> flock {
        flock(l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: off_t(seat), l_len: 1, l_pid: 0)
    }
}
