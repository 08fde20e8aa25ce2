import EarshotAudio
import EarshotCoding
import EarshotConsole
import EarshotDiscovery
import EarshotDrawing
import Synchronization

/// Prints the output of `nearby`: found, updated and lost devices on standard output, and on a terminal a list of the
/// present devices below it.
final class NearbyOutput: Sendable {
    private struct State {
        var foundCount = 0
        var neighbours: [Payload: Neighbour] = [:]
        var drawnLineCount = 0
    }

    /// The maximum number of devices in the list on a terminal.
    private static let maximumListCount = 12

    private let isJSON: Bool
    private let isQuiet: Bool
    private let isListing: Bool
    private let begin = MonotonicTime.nanoseconds
    private let state = Mutex(State())

    init(isJSON: Bool, isQuiet: Bool) {
        self.isJSON = isJSON
        self.isQuiet = isQuiet
        isListing = !isQuiet && StandardStream.error.isLiveTerminal
    }

    /// The number of devices found, including those lost since.
    var foundCount: Int { state.withLock { $0.foundCount } }

    func begun(token: Payload?, mode: ModeArgument) {
        let says = token.map { "saying \($0.hex)" }
        let hears = mode == .broadcast ? nil : "listening"
        note([says, hears].compactMap(\.self).joined(separator: ", "))
    }

    func take(_ event: DiscoveryEvent) {
        switch event {
        case .found(let neighbour):
            state.withLock { state in
                state.foundCount += 1
                state.neighbours[neighbour.token] = neighbour
            }
            print("found", neighbour)
        case .updated(let neighbour):
            state.withLock { $0.neighbours[neighbour.token] = neighbour }
            if isJSON || !isListing { print("updated", neighbour) } else { refresh() }
        case .lost(let neighbour):
            state.withLock { $0.neighbours[neighbour.token] = nil }
            print("lost", neighbour)
        case .problem(let problem, let medium, let detail): print("problem", problem, medium, detail)
        case .solved(let problem, let medium): print("solved", problem, medium, "")
        case .opened: break
        }
    }

    /// Draws the list of present devices again.
    func refresh() {
        guard isListing else { return }
        state.withLock { state in
            let erasure = Self.erasure(state)
            let lines = list(state)
            state.drawnLineCount = lines.count
            // One write, so that the list does not flicker.
            StandardStream.error.write(erasure + lines.map { "\($0)\n" }.joined())
        }
    }

    /// Prints the last line.
    func conclude(mode: ModeArgument) {
        clearList()
        let count = foundCount
        let found = mode == .broadcast ? "over after" : "\(count) \(count == 1 ? "device" : "devices") found in"
        note("\(found) \(DecimalText.text(seconds, decimals: 1)) s")
    }

    private var seconds: Double { Double(MonotonicTime.nanoseconds - begin) / 1e9 }

    private func print(_ event: String, _ neighbour: Neighbour) {
        let heard = neighbour.lastHeard.inSeconds
        if isJSON {
            var line = JSONLine()
            line.add("event", event)
            line.add("token", neighbour.token.hex)
            line.add("medium", neighbour.medium.name)
            line.add("media", neighbour.media.map(\.name).sorted())
            if let snr = neighbour.snrDecibels { line.add("snr_db", snr, decimals: 1) }
            if let level = neighbour.levelDecibels { line.add("level_db", level, decimals: 1) }
            if let rssi = neighbour.rssiDecibelMilliwatts { line.add("rssi_dbm", rssi) }
            line.add("at_s", seconds, decimals: 3)
            line.add("time", ClockText.utc(nanosecondsAgo: Int64(max(0, seconds - heard) * 1e9)))
            printAboveList(line.text)
        } else {
            let padded = event + String(repeating: " ", count: max(0, 8 - event.count))
            printAboveList("\(ClockText.text(seconds: seconds))  \(padded) \(description(neighbour))")
        }
    }

    private func print(_ event: String, _ problem: DiscoveryProblem, _ medium: DiscoveryMediumKind, _ detail: String) {
        if isJSON {
            var line = JSONLine()
            line.add("event", event)
            line.add("problem", problem.name)
            line.add("medium", medium.name)
            if !detail.isEmpty { line.add("detail", detail) }
            line.add("at_s", seconds, decimals: 3)
            printAboveList(line.text)
        } else {
            let more = detail.isEmpty ? "" : ": \(detail)"
            clearList()
            StandardStream.error.print("\(event): \(problem.name) (\(medium.name))\(more)")
            refresh()
        }
    }

    /// A device in words: 0123456789abcdef  audio  23.1 dB SNR  -41.0 dBFS.
    private func description(_ neighbour: Neighbour) -> String {
        var parts = [neighbour.token.hex, neighbour.media.map(\.name).sorted().joined(separator: "+")]
        if let snr = neighbour.snrDecibels { parts.append("\(DecimalText.text(snr, decimals: 1)) dB SNR") }
        if let level = neighbour.levelDecibels { parts.append("\(DecimalText.text(level, decimals: 1)) dBFS") }
        if let rssi = neighbour.rssiDecibelMilliwatts { parts.append("\(rssi) dBm") }
        return parts.joined(separator: "  ")
    }

    private func list(_ state: State) -> [String] {
        let sorted = state.neighbours.values.sorted { $0.token.hex < $1.token.hex }
        var lines = ["-- \(sorted.count) nearby, \(ClockText.text(seconds: seconds))"]
        for neighbour in sorted.prefix(Self.maximumListCount) {
            let silence = DecimalText.text(max(0, seconds - neighbour.lastHeard.inSeconds), decimals: 0)
            lines.append("   \(description(neighbour))  heard \(silence) s ago")
        }
        if sorted.count > Self.maximumListCount {
            lines.append("   and \(sorted.count - Self.maximumListCount) more")
        }
        return lines
    }

    private static func erasure(_ state: State) -> String {
        state.drawnLineCount > 0 ? "\u{1B}[\(state.drawnLineCount)A\r\u{1B}[J" : ""
    }

    private func clearList() {
        guard isListing else { return }
        state.withLock { state in
            StandardStream.error.write(Self.erasure(state))
            state.drawnLineCount = 0
        }
    }

    private func printAboveList(_ text: String) {
        clearList()
        StandardStream.output.print(text)
        refresh()
    }

    private func note(_ text: String) {
        guard !isQuiet else { return }
        clearList()
        StandardStream.error.print(text)
    }
}

extension Duration {
    fileprivate var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
