import EarshotAudio
import EarshotBasics
import EarshotDiscovery
import Synchronization

/// The current problems of sound: at most one of each device, and interference in the band. It reports each problem
/// once when it begins and once when it ends, from any thread.
final class SoundProblems: Sendable {
    /// The pauses between attempts to open a device.
    static let reopening = BackOff.Bounds(shortest: .milliseconds(200), longest: .seconds(2))

    private enum Part: Hashable { case capture, playback, band }

    private let current = Mutex<[Part: DiscoveryProblem]>([:])
    private let report: @Sendable (MediumEvent) -> Void

    init(_ report: @escaping @Sendable (MediumEvent) -> Void) {
        self.report = report
    }

    /// The microphone failed; nil means that it works.
    func capture(_ error: DeviceError?) {
        set(.capture, error.map { DiscoveryProblem($0.kind, .scan) }, detail: error?.description)
        if error == nil { report(.opened(.scan)) }
    }

    /// The loudspeaker failed; nil means that it works.
    func playback(_ error: DeviceError?) {
        set(.playback, error.map { DiscoveryProblem($0.kind, .broadcast) }, detail: error?.description)
        if error == nil { report(.opened(.broadcast)) }
    }

    /// Whether interference fills the band.
    func band(isOccupied: Bool) {
        set(.band, isOccupied ? .bandOccupied : nil, detail: nil)
    }

    private func set(_ part: Part, _ problem: DiscoveryProblem?, detail: String?) {
        let before = current.withLock { current in
            let before = current[part]
            current[part] = problem
            return before
        }
        guard before != problem else { return }
        if let before { report(.solved(before)) }
        if let problem { report(.problem(problem, detail: detail ?? "")) }
    }
}

extension DiscoveryProblem {
    /// The problem for a device's error in a direction.
    init(_ kind: DeviceError.Kind, _ direction: DiscoveryMode) {
        self =
            switch kind {
            case .notFound, .vanished: direction == .scan ? .noMicrophone : .noLoudspeaker
            case .busy: .deviceBusy(direction)
            case .notPermitted: .noPermission(direction)
            case .unsupported, .failed: .deviceUnusable(direction)
            }
    }
}
