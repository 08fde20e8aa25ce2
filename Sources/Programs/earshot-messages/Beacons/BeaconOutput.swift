import EarshotAudio
import EarshotBasics
import EarshotBluetooth
import EarshotConsole
import EarshotSystem
import Synchronization

/// Prints the output of `beacon`: notes and problems on standard error.
final class BeaconOutput: Sendable {
    private let identity: String
    private let isQuiet: Bool
    private let begin = MonotonicTime.nanoseconds
    private let hasBegun = Atomic(false)

    init(identity: String, isQuiet: Bool) {
        self.identity = identity
        self.isQuiet = isQuiet
    }

    /// Whether the beacon was ever in the air.
    var wasInTheAir: Bool { hasBegun.load(ordering: .acquiring) }

    func take(_ event: AdvertisingEvent) {
        switch event {
        case .advertising(let contents):
            guard !contents.isEmpty, !hasBegun.exchange(true, ordering: .acquiringAndReleasing) else { return }
            note("in the air: \(identity)")
        case .problem(let problem, let detail):
            StandardStream.error.print("problem: \(problem.name)\(detail.isEmpty ? "" : ": \(detail)")")
        case .solved(let problem): StandardStream.error.print("solved: \(problem.name)")
        }
    }

    /// Prints the last line.
    func conclude() {
        let seconds = DecimalText.text(Double(MonotonicTime.nanoseconds - begin) / 1e9, decimals: 1)
        note(wasInTheAir ? "over after \(seconds) s" : "not in the air within \(seconds) s")
    }

    private func note(_ text: String) {
        if !isQuiet { StandardStream.error.print(text) }
    }
}
