import EarshotAudio
import EarshotBasics
import EarshotConsole
import EarshotDiscovery
import EarshotSystem
import Synchronization

/// The output of `nearby` and `beacons`: events on standard output, notes and problems on standard error, and on a
/// terminal a list of the present devices or beacons below them.
final class PresenceOutput: Sendable {
    private struct State {
        var list: [String] = []
        var drawnLineCount = 0
    }

    /// The maximum number of entries in the list.
    private static let maximumListCount = 12

    let isJSON: Bool
    private let isQuiet: Bool
    /// Whether there is a list.
    let isListing: Bool
    private let begin = MonotonicTime.nanoseconds
    private let state = Mutex(State())

    init(_ options: PresenceOptions) {
        isJSON = options.json
        isQuiet = options.quiet
        isListing = !options.quiet && StandardStream.error.isLiveTerminal
    }

    /// The time since the command began.
    var now: Duration { .nanoseconds(MonotonicTime.nanoseconds - begin) }

    /// Prints a line of text for an event.
    func print(_ event: String, _ description: String) {
        let padded = event + String(repeating: " ", count: max(0, 8 - event.count))
        printAboveList("\(ClockText.text(seconds: now.inSeconds))  \(padded) \(description)")
    }

    /// Prints a line of JSON for an event at a time.
    func print(_ event: String, at time: Duration, _ addValues: (inout JSONLine) -> Void) {
        var line = JSONLine()
        line.add("event", event)
        addValues(&line)
        let now = now
        line.add("at_s", now.inSeconds, decimals: 3)
        line.add("time", ClockText.utc(nanosecondsAgo: Int64(max(0, (now - time).inSeconds) * 1e9)))
        printAboveList(line.text)
    }

    /// Prints the beginning or end of a problem.
    /// - Parameter medium: The medium that has it, if the command uses several.
    func print(_ event: String, _ problem: DiscoveryProblem, _ medium: DiscoveryMediumKind?, _ detail: String) {
        guard isJSON else {
            let name = problem.name + (medium.map { " (\($0.name))" } ?? "")
            return printErrorAboveList("\(event): \(name)\(detail.isEmpty ? "" : ": \(detail)")")
        }
        var line = JSONLine()
        line.add("event", event)
        line.add("problem", problem.name)
        if let medium { line.add("medium", medium.name) }
        if !detail.isEmpty { line.add("detail", detail) }
        line.add("at_s", now.inSeconds, decimals: 3)
        printAboveList(line.text)
    }

    func note(_ text: String) {
        if !isQuiet { printErrorAboveList(text) }
    }

    /// Draws the list again.
    /// - Parameters:
    ///   - place: Where the entries are, such as "nearby".
    ///   - entries: The present devices or beacons, each with the time when it was last heard.
    func list(_ place: String, _ entries: [(description: String, lastHeard: Duration)]) {
        guard isListing else { return }
        let now = now
        var lines = ["-- \(entries.count) \(place), \(ClockText.text(seconds: now.inSeconds))"]
        for entry in entries.prefix(Self.maximumListCount) {
            let silence = DecimalText.text(max(0, (now - entry.lastHeard).inSeconds), decimals: 0)
            lines.append("   \(entry.description)  heard \(silence) s ago")
        }
        if entries.count > Self.maximumListCount {
            lines.append("   and \(entries.count - Self.maximumListCount) more")
        }
        state.withLock { state in
            state.list = lines
            draw(&state)
        }
    }

    /// Removes the list, and prints the last line.
    func conclude(_ result: String) {
        state.withLock { state in
            state.list = []
            draw(&state)
        }
        note("\(result) \(DecimalText.text(now.inSeconds, decimals: 1)) s")
    }

    private func printAboveList(_ text: String) {
        state.withLock { state in
            clear(&state)
            StandardStream.output.print(text)
            draw(&state)
        }
    }

    private func printErrorAboveList(_ text: String) {
        state.withLock { state in
            clear(&state)
            StandardStream.error.print(text)
            draw(&state)
        }
    }

    private func draw(_ state: inout State) {
        guard isListing else { return }
        // One write, so that the list does not flicker.
        StandardStream.error.write(Self.erasure(state) + state.list.map { "\($0)\n" }.joined())
        state.drawnLineCount = state.list.count
    }

    private func clear(_ state: inout State) {
        guard isListing else { return }
        StandardStream.error.write(Self.erasure(state))
        state.drawnLineCount = 0
    }

    private static func erasure(_ state: State) -> String {
        state.drawnLineCount > 0 ? "\u{1B}[\(state.drawnLineCount)A\r\u{1B}[J" : ""
    }
}

extension Duration {
    var inSeconds: Double { self / .seconds(1) }
}
