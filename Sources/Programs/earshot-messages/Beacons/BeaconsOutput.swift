import EarshotBluetooth
import EarshotConsole
import EarshotDiscovery
import NearbyWire
import Synchronization

/// The output of `beacons`: beacons found, updated and lost, and the list of those in the air.
final class BeaconsOutput: Sendable {
    private struct State {
        var book = BeaconBook()
        var foundCount = 0
    }

    private let output: PresenceOutput
    private let state = Mutex(State())

    init(_ output: PresenceOutput) { self.output = output }

    /// The number of beacons found, including those lost since.
    var foundCount: Int { state.withLock { $0.foundCount } }

    func begun(_ scan: BeaconScan) {
        let formats = scan.includesIBeacons ? "Eddystone, iBeacon and AltBeacon" : "Eddystone"
        output.note("scanning for \(formats)\(scan.usesLowPower ? " in low power" : "")")
        guard scan.includesIBeacons else { return }
        output.note(
            "there may be more AltBeacons: those of other manufacturers than 0x0118 are shown only while another program "
                + "scans for all devices, such as 'bluetoothctl scan on'")
    }

    func take(_ event: BeaconFrameEvent) {
        switch event {
        case .frame(let frame):
            let now = output.now
            state.withLock { state in
                guard let event = state.book.take(frame, now: now) else { return }
                if case .found = event { state.foundCount += 1 }
                print(event)
            }
        case .problem(let problem, let detail): output.print("problem", problem, nil, detail)
        case .solved(let problem): output.print("solved", problem, nil, "")
        case .opened: break
        }
    }

    /// Prints the beacons that are lost, and draws the list of those present again.
    func refresh() {
        let now = output.now
        let beacons = state.withLock { state in
            for event in state.book.expire(now: now) { print(event) }
            return state.book.beacons
        }
        let sorted = beacons.sorted { $0.name.description < $1.name.description }
        output.list("in the air", sorted.map { (BeaconText.description($0), $0.lastHeard) })
    }

    /// Prints the last line.
    func conclude() {
        let count = foundCount
        output.conclude("\(count) \(count == 1 ? "beacon" : "beacons") found in")
    }

    private func print(_ event: BeaconBookEvent) {
        switch event {
        case .found(let beacon): print("found", beacon)
        case .updated(let beacon):
            if output.isJSON || !output.isListing { print("updated", beacon) }
        case .lost(let beacon): print("lost", beacon)
        }
    }

    private func print(_ event: String, _ beacon: BeaconInAir) {
        guard output.isJSON else { return output.print(event, BeaconText.description(beacon)) }
        output.print(event, at: beacon.lastHeard) { BeaconText.add(beacon, to: &$0) }
    }
}
