import EarshotBasics
import EarshotCoding
import EarshotConsole
import EarshotDiscovery
import Synchronization

/// The output of `nearby`: devices found, updated and lost, and the list of those present.
final class NearbyOutput: Sendable {
    private struct State {
        var foundCount = 0
        var neighbours: [Payload: Neighbour] = [:]
    }

    private let output: PresenceOutput
    private let state = Mutex(State())

    init(_ output: PresenceOutput) { self.output = output }

    /// The number of devices found, including those lost since.
    var foundCount: Int { state.withLock { $0.foundCount } }

    func begun(token: Payload?, mode: ModeArgument) {
        let says = token.map { "saying \($0.hex)" }
        let hears = mode == .broadcast ? nil : "listening"
        output.note([says, hears].compactMap(\.self).joined(separator: ", "))
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
            if output.isJSON || !output.isListing { print("updated", neighbour) }
        case .lost(let neighbour):
            state.withLock { $0.neighbours[neighbour.token] = nil }
            print("lost", neighbour)
        case .problem(let problem, let medium, let detail): output.print("problem", problem, medium, detail)
        case .solved(let problem, let medium): output.print("solved", problem, medium, "")
        case .opened: return
        }
        refresh()
    }

    /// Draws the list of present devices again.
    func refresh() {
        guard output.isListing else { return }
        let neighbours = state.withLock { $0.neighbours }.values.sorted { $0.token.hex < $1.token.hex }
        output.list("nearby", neighbours.map { (Self.description($0), $0.lastHeard) })
    }

    /// Prints the last line.
    func conclude(mode: ModeArgument) {
        let count = foundCount
        output.conclude(mode == .broadcast ? "over after" : "\(count) \(count == 1 ? "device" : "devices") found in")
    }

    private func print(_ event: String, _ neighbour: Neighbour) {
        guard output.isJSON else { return output.print(event, Self.description(neighbour)) }
        output.print(event, at: neighbour.lastHeard) { line in
            line.add("token", neighbour.token.hex)
            line.add("medium", neighbour.medium.name)
            line.add("media", neighbour.media.map(\.name).sorted())
            if let snr = neighbour.snrDecibels { line.add("snr_db", snr, decimals: 1) }
            if let level = neighbour.levelDecibels { line.add("level_db", level, decimals: 1) }
            if let rssi = neighbour.rssiDecibelMilliwatts { line.add("rssi_dbm", rssi) }
        }
    }

    /// A device in words: 0123456789abcdef  audio  23.1 dB SNR  -41.0 dBFS.
    private static func description(_ neighbour: Neighbour) -> String {
        var parts = [neighbour.token.hex, neighbour.media.map(\.name).sorted().joined(separator: "+")]
        if let snr = neighbour.snrDecibels { parts.append("\(DecimalText.text(snr, decimals: 1)) dB SNR") }
        if let level = neighbour.levelDecibels { parts.append("\(DecimalText.text(level, decimals: 1)) dBFS") }
        if let rssi = neighbour.rssiDecibelMilliwatts { parts.append("\(rssi) dBm") }
        return parts.joined(separator: "  ")
    }
}
