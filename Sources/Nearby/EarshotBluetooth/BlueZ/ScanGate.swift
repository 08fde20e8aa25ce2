import Synchronization

/// Keeps the scan and changes of advertisements apart.
///
/// A controller of Bluetooth 4 has one random address. While it scans, it refuses another one ("Command Disallowed"), and the
/// kernel needs a new one for each advertisement that begins. So the scan stops for a moment.
///
/// Source: Bluetooth Core Specification, volume 4, part E, section 7.8.4.
final class ScanGate: Sendable {
    private struct State {
        /// The number of those who want the radio not to scan.
        var quietCount = 0
        var isScanning = false
        /// Ends the scan's present sleep.
        var wake: (@Sendable () -> Void)?
        var scans: [CheckedContinuation<Void, Never>] = []
        var quiets: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Whether the radio should stop to scan now.
    var isQuietWanted: Bool { state.withLock { $0.quietCount > 0 } }

    /// Waits until the radio may scan. `leave` must follow.
    func enter() async {
        while true {
            let mayScan = state.withLock { state in
                if state.quietCount == 0 { state.isScanning = true }
                return state.isScanning
            }
            if mayScan { return }
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    if state.quietCount > 0 { state.scans.append(continuation) }
                    return state.quietCount == 0
                }
                if isFree { continuation.resume() }
            }
        }
    }

    /// Says that the radio no longer scans.
    func leave() {
        let quiets = state.withLock { state in
            state.isScanning = false
            return exchange(&state.quiets, with: [])
        }
        for continuation in quiets { continuation.resume() }
    }

    /// Sleeps while the radio scans: for a time, or until it should stop, or until the task is cancelled.
    func sleep(_ duration: Duration) async {
        let sleeping = Task { try? await Task.sleep(for: duration) }
        let mustStop = state.withLock { state in
            state.wake = { sleeping.cancel() }
            return state.quietCount > 0
        }
        if mustStop { sleeping.cancel() }
        await withTaskCancellationHandler {
            await sleeping.value
        } onCancel: {
            sleeping.cancel()
        }
        state.withLock { $0.wake = nil }
    }

    /// Begins a time in which the radio does not scan. `endQuiet` must follow.
    func beginQuiet() async {
        let wake = state.withLock { state in
            state.quietCount += 1
            return state.wake
        }
        wake?()
        await withCheckedContinuation { continuation in
            let isQuiet = state.withLock { state in
                if state.isScanning { state.quiets.append(continuation) }
                return !state.isScanning
            }
            if isQuiet { continuation.resume() }
        }
    }

    /// Lets the radio scan again.
    func endQuiet() {
        let scans = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.quietCount -= 1
            return state.quietCount == 0 ? exchange(&state.scans, with: []) : []
        }
        for continuation in scans { continuation.resume() }
    }
}
