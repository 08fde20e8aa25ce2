import EarshotAudio
import EarshotBluetooth
import EarshotConsole
import EarshotDiscovery
import EarshotDrawing
import Synchronization

/// Prints the output of `beacons`: found, updated and lost beacons on standard output, and on a terminal a list of the present
/// ones below it.
final class BeaconsOutput: Sendable {
    private struct State {
        var book = BeaconBook()
        var foundCount = 0
        var drawnLineCount = 0
    }

    /// The maximum number of beacons in the list on a terminal.
    private static let maximumListCount = 16

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

    /// The number of beacons found, including those lost since.
    var foundCount: Int { state.withLock { $0.foundCount } }

    func begun(_ scan: BeaconScan) {
        let formats = scan.includesIBeacons ? "Eddystone, iBeacon and AltBeacon" : "Eddystone"
        note("scanning for \(formats)\(scan.usesLowPower ? " in low power" : "")")
    }

    func take(_ event: BeaconFrameEvent) {
        switch event {
        case .frame(let frame):
            let now = now
            state.withLock { state in
                guard let event = state.book.take(frame, now: now) else { return }
                if case .found = event { state.foundCount += 1 }
                print(event, &state)
            }
        case .problem(let problem, let detail): print("problem", problem, detail)
        case .solved(let problem): print("solved", problem, "")
        case .opened: break
        }
    }

    /// Says which beacons are lost, and draws the list of those present again.
    func refresh() {
        let now = now
        state.withLock { state in
            for event in state.book.expire(now: now) { print(event, &state) }
            draw(&state)
        }
    }

    /// Prints the last line.
    func conclude() {
        let count = foundCount
        note("\(count) \(count == 1 ? "beacon" : "beacons") found in \(DecimalText.text(now.inSeconds, decimals: 1)) s")
    }

    private var now: Duration { .nanoseconds(Int64(MonotonicTime.nanoseconds - begin)) }

    private func print(_ event: BeaconBookEvent, _ state: inout State) {
        switch event {
        case .found(let beacon): printAboveList(line("found", beacon), &state)
        case .updated(let beacon):
            if isJSON || !isListing { printAboveList(line("updated", beacon), &state) }
        case .lost(let beacon): printAboveList(line("lost", beacon), &state)
        }
    }

    private func line(_ event: String, _ beacon: BeaconInAir) -> String {
        guard isJSON else {
            let padded = event + String(repeating: " ", count: max(0, 8 - event.count))
            return "\(ClockText.text(seconds: now.inSeconds))  \(padded) \(BeaconText.description(beacon))"
        }
        var line = JSONLine()
        line.add("event", event)
        BeaconText.add(beacon, to: &line)
        line.add("at_s", now.inSeconds, decimals: 3)
        line.add("time", ClockText.utc(nanosecondsAgo: Int64(max(0, (now - beacon.lastHeard).inSeconds) * 1e9)))
        return line.text
    }

    private func print(_ event: String, _ problem: DiscoveryProblem, _ detail: String) {
        state.withLock { state in
            if isJSON {
                var line = JSONLine()
                line.add("event", event)
                line.add("problem", problem.name)
                if !detail.isEmpty { line.add("detail", detail) }
                line.add("at_s", now.inSeconds, decimals: 3)
                printAboveList(line.text, &state)
            } else {
                clear(&state)
                StandardStream.error.print("\(event): \(problem.name)\(detail.isEmpty ? "" : ": \(detail)")")
                draw(&state)
            }
        }
    }

    private func list(_ state: State) -> [String] {
        let sorted = state.book.beacons.sorted { $0.name.description < $1.name.description }
        var lines = ["-- \(sorted.count) in the air, \(ClockText.text(seconds: now.inSeconds))"]
        for beacon in sorted.prefix(Self.maximumListCount) {
            let silence = DecimalText.text(max(0, (now - beacon.lastHeard).inSeconds), decimals: 0)
            lines.append("   \(BeaconText.description(beacon))  heard \(silence) s ago")
        }
        if sorted.count > Self.maximumListCount {
            lines.append("   and \(sorted.count - Self.maximumListCount) more")
        }
        return lines
    }

    private func draw(_ state: inout State) {
        guard isListing else { return }
        let erasure = Self.erasure(state)
        let lines = list(state)
        state.drawnLineCount = lines.count
        // One write, so that the list does not flicker.
        StandardStream.error.write(erasure + lines.map { "\($0)\n" }.joined())
    }

    private static func erasure(_ state: State) -> String {
        state.drawnLineCount > 0 ? "\u{1B}[\(state.drawnLineCount)A\r\u{1B}[J" : ""
    }

    private func clear(_ state: inout State) {
        guard isListing else { return }
        StandardStream.error.write(Self.erasure(state))
        state.drawnLineCount = 0
    }

    private func printAboveList(_ text: String, _ state: inout State) {
        clear(&state)
        StandardStream.output.print(text)
        draw(&state)
    }

    private func note(_ text: String) {
        guard !isQuiet else { return }
        state.withLock { state in
            clear(&state)
            StandardStream.error.print(text)
        }
    }
}

extension Duration {
    fileprivate var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
