import EarshotDBus
import EarshotSystem
import Glibc

/// A scan by a foreign program, such as the desktop's settings, which prevents an advertisement from beginning.
///
/// bluetoothd ends the controller's scan whenever the combined requests of all programs change, and begins it again 5
/// to 6 s after the last change (measured with 5.66). So a discovery that begins and ends at once creates a gap, in which all
/// our programs take their turns. The other program loses that time, so all our programs together make such gaps rarely.
struct ForeignScan: Sendable {
    /// The time from a gap to the next one. The other program then scans for a quarter of the time or more.
    private static let interval = Duration.seconds(8)
    /// How long turns go on in a gap: bluetoothd waits for 5 s or more, and the last turn must have begun before.
    private static let length = Duration.seconds(4.5)

    let adapter: ReadyAdapter
    /// Whether our own programs scan with monitors, which do not count as a discovery.
    let offersMonitors: Bool

    init(_ adapter: ReadyAdapter) async {
        self.adapter = adapter
        offersMonitors = (try? await MonitorScan.isOffered(adapter)) ?? false
    }

    /// Whether a foreign scan is in the way now and must not be interrupted yet.
    func isInTheWay(_ gate: RadioGate) async -> Bool {
        guard !mayEnd, !isGap, await isDiscovering else { return false }
        return offersMonitors || !gate.isScanned
    }

    /// Interrupts a foreign scan for a moment, while none of our programs scans.
    /// - Parameter isFirst: whether the advertisement was not on the air yet: then the time of the last gap does not matter.
    func end(isFirst: Bool) async {
        guard isFirst || mayEnd, !isGap, await isDiscovering else { return }
        let scan = DiscoveryScan(adapter: adapter)
        guard (try? await scan.begin(unless: { false })) == true else { return }
        await scan.end()
        write(MonotonicTime.nanoseconds)
    }

    private var isDiscovering: Bool {
        get async { (try? await adapter.isDiscovering) ?? false }
    }

    /// Whether the last gap is long enough ago.
    private var mayEnd: Bool { sinceLast >= Self.interval }
    /// Whether the other program's scan rests now, although bluetoothd reports it as running.
    private var isGap: Bool { sinceLast < Self.length }

    /// The time since the last gap began.
    private var sinceLast: Duration { .nanoseconds(MonotonicTime.nanoseconds) - .nanoseconds(read()) }

    private var path: String? { adapter.radioFolder.map { "\($0)/gap" } }

    /// The time of the last gap, in nanoseconds of the monotonic clock.
    private func read() -> Int64 {
        guard let path, case let file = open(path, O_RDONLY | O_CLOEXEC), file >= 0 else { return -.max / 2 }
        defer { close(file) }
        var time: Int64 = 0
        guard Glibc.read(file, &time, MemoryLayout<Int64>.size) == MemoryLayout<Int64>.size,
            time <= MonotonicTime.nanoseconds
        else { return -.max / 2 }
        return time
    }

    private func write(_ time: Int64) {
        guard let path, case let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR), file >= 0 else {
            return
        }
        var time = time
        _ = Glibc.write(file, &time, MemoryLayout<Int64>.size)
        close(file)
    }
}
