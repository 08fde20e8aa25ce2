import EarshotBasics
import EarshotConsole
import EarshotLive
import Glibc
import Synchronization

/// A line on standard error, redrawn in place, that shows the microphone's level.
///
///     -62.1 dB [#######---|------------]  noise -71.3 dB  last 12.3 dB SNR  3 tokens  0:12:31
final class LiveMeter: Sendable {
    private static let width = 24
    /// The levels at the ends of the bar.
    private static let rangeDecibels = -100.0...0.0

    private struct State {
        var tokenCount = 0
        var lastSNRDecibels: Double?
    }

    private let statusLine: StatusLine
    private let state = Mutex(State())

    init(isEnabled: Bool) {
        statusLine = StatusLine(isEnabled: isEnabled)
    }

    /// Whether levels are needed at all.
    var wantsLevels: Bool { statusLine.isEnabled }

    /// A token was heard.
    func heard(snrDecibels: Double) {
        state.withLock { state in
            state.tokenCount += 1
            state.lastSNRDecibels = snrDecibels
        }
    }

    func show(_ level: LevelReport) {
        statusLine.show(state.withLock { line(level, $0) })
    }

    /// Removes the line, so that other output can be printed.
    func clear() {
        statusLine.clear()
    }

    private func line(_ level: LevelReport, _ state: State) -> String {
        let filled = Self.place(level.bandDecibels)
        let noise = Self.place(level.noiseDecibels)
        let bar = (0..<Self.width).map { $0 == noise ? "|" : $0 < filled ? "#" : "-" }.joined()
        var parts = [
            "\(Self.decibels(level.bandDecibels)) [\(bar)]", "noise \(Self.decibels(level.noiseDecibels))",
        ]
        if let snr = state.lastSNRDecibels { parts.append("last \(DecimalText.text(snr, decimals: 1)) dB SNR") }
        parts.append(state.tokenCount == 1 ? "1 token" : "\(state.tokenCount) tokens")
        parts.append(ClockText.text(seconds: level.atSeconds))
        if level.peakDecibels > -0.1 { parts.append("CLIPPING") }
        if level.ringFill > 0.25 { parts.append("BEHIND \(Int(100 * level.ringFill)) %") }
        return parts.joined(separator: "  ")
    }

    private static func place(_ decibels: Double) -> Int {
        let range = rangeDecibels
        let share = (decibels - range.lowerBound) / (range.upperBound - range.lowerBound)
        return max(0, min(width, Int((share * Double(width)).rounded())))
    }

    private static func decibels(_ value: Double) -> String {
        value < -140 ? "silent" : "\(DecimalText.text(value, decimals: 1)) dB"
    }
}
