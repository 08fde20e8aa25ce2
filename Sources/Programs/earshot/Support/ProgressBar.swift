import EarshotBasics
import Synchronization

/// A line on standard error that shows the progress of long work.
///
///     [==========>                   ]  35 %  about 4 s left
///
/// It appears after one second, only on a terminal, at most ten times a second, and disappears before other output.
final class ProgressBar: Sendable {
    private struct State {
        var fractions: [Double]
        var lastDrawn: ContinuousClock.Instant
    }

    private static let width = 32

    private let statusLine: StatusLine
    private let begun = ContinuousClock.now
    private let state: Mutex<State>

    /// A bar for work in `partCount` parts of about equal size.
    init(partCount: Int, isEnabled: Bool = true) {
        statusLine = StatusLine(isEnabled: isEnabled)
        state = Mutex(State(fractions: Array(repeating: 0, count: partCount), lastDrawn: begun))
    }

    /// Sets the progress of part `part` to `fraction`, 0 ... 1. It is cheap enough to call for every block.
    func update(part: Int = 0, fraction: Double) {
        guard statusLine.isEnabled else { return }
        let now = ContinuousClock.now
        guard now - begun > .seconds(1) else { return }
        state.withLock { state in
            state.fractions[part] = fraction
            guard now - state.lastDrawn > .milliseconds(100) else { return }
            state.lastDrawn = now
            let done = state.fractions.reduce(0, +) / Double(state.fractions.count)
            statusLine.show(line(done: done, elapsed: now - begun))
        }
    }

    /// Removes the line.
    func clear() {
        statusLine.clear()
    }

    private func line(done: Double, elapsed: Duration) -> String {
        let filled = min(Self.width, max(0, Int(done * Double(Self.width))))
        let bar = String(repeating: "=", count: filled) + (filled < Self.width ? ">" : "")
        let blank = String(repeating: " ", count: Self.width + 1 - bar.count)
        let percent = String(Int(done * 100))
        let seconds = elapsed / .seconds(1)
        let left = done > 0.01 ? "  about \(DecimalText.text(seconds * (1 - done) / done, decimals: 0)) s left" : ""
        return "[\(bar)\(blank)] \(String(repeating: " ", count: max(0, 3 - percent.count)))\(percent) %\(left)"
    }
}
