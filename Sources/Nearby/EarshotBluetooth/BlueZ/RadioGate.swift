import Dispatch
import NearbyWire
import Synchronization

/// Keeps scans and changes of advertisements apart, in all programs of the user.
///
/// A controller of Bluetooth 4 has one random address. While it scans, it refuses another one ("Command Disallowed"), and the
/// kernel needs a new one for each advertisement that begins. So all programs stop their scans for a moment.
///
/// Each program holds the lock `scanning` shared while it scans, and exclusively while it changes an advertisement. To
/// make the others stop, it first takes the lock `door` exclusively, and touches the folder; the others need the door
/// before they scan again.
///
/// Source: Bluetooth Core Specification, volume 4, part E, section 7.8.4.
final class RadioGate: Sendable {
    /// The maximum time to wait for other programs, more than bluetoothd needs to end several scans. If a stopped
    /// program is still in the way then, the change may fail.
    private static let limit = Duration.seconds(2)

    private let folder: String?
    private let door: RadioLock
    private let scan: RadioLock
    /// Ends the scan's current sleep.
    private let wake = Mutex<(@Sendable () -> Void)?>(nil)
    private let watch = Mutex<FolderWatch?>(nil)

    /// - Parameter folder: The radio's folder; nil if there is none.
    init(_ folder: String?) {
        self.folder = folder
        door = RadioLock(folder, "door")
        scan = RadioLock(folder, "scanning")
    }

    deinit {
        door.close()
        scan.close()
    }

    /// Whether a program of the user scans now.
    var isScanned: Bool {
        guard scan.take(alone: true) else { return true }
        scan.giveBack()
        return false
    }

    // MARK: To scan

    /// Begins to follow the requests of other programs. A scan calls it once, first.
    func follow() {
        guard let folder else { return }
        let queue = DispatchQueue(label: "earshot.radio")
        let watch = FolderWatch(folder: "\(folder)/scan", queue: queue) { [weak self] in
            guard let self, isQuietWanted else { return }
            self.wake.withLock { $0 }?()
        }
        self.watch.withLock { $0 = watch }
    }

    /// Whether the radio should stop scanning now.
    var isQuietWanted: Bool {
        guard door.take(alone: false) else { return true }
        door.giveBack()
        return false
    }

    /// Waits until the radio may scan. `leave` must follow.
    func enter() async {
        _ = await door.take(alone: false, within: Self.limit)
        _ = await scan.take(alone: false, within: Self.limit)
        door.giveBack()
    }

    /// Notes that the radio no longer scans.
    func leave() { scan.giveBack() }

    /// Sleeps while the radio scans: for a time, or until it should stop, or until the task is cancelled.
    func sleep(_ duration: Duration) async {
        let sleeping = Task { try? await Task.sleep(for: duration) }
        wake.withLock { $0 = { sleeping.cancel() } }
        if isQuietWanted { sleeping.cancel() }
        await withTaskCancellationHandler {
            await sleeping.value
        } onCancel: {
            sleeping.cancel()
        }
        wake.withLock { $0 = nil }
    }

    // MARK: To change an advertisement

    /// Begins a time in which no program of the user scans. `endQuiet` must follow.
    func beginQuiet() async {
        _ = await door.take(alone: true, within: Self.limit)
        RadioFolder.touch(folder, "scan/touched")
        _ = await scan.take(alone: true, within: Self.limit)
    }

    /// Lets the radio scan again.
    func endQuiet() {
        scan.giveBack()
        door.giveBack()
    }
}
