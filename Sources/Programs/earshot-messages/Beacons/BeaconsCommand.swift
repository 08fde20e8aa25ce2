import ArgumentParser
import Dispatch
import EarshotBluetooth
import EarshotConsole
import NearbyWire

struct BeaconsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beacons",
        abstract: "Show the Bluetooth beacons in the air.",
        usage: "earshot beacons [<options>]",
        discussion: """
            Scans with a Bluetooth adapter and prints a line when a beacon is found, heard again (at most once a second), \
            or lost. On a terminal it lists the beacons that are present, and prints lines only for found and lost. Ends \
            with Ctrl-C, after --seconds, or when --count beacons were found. It sends nothing.

            It knows Eddystone (UID, URL, telemetry, and EID, which only the beacon's owner can resolve), iBeacon and \
            AltBeacon. A beacon is lost after 10 s of silence, 20 to 26 s with --low-power, and up to 64 s if it is heard badly. BlueZ filters by the bytes of one \
            manufacturer, so the scan is for AltBeacons of 0x0118, which most carry. Those of others are shown while \
            another program scans for all devices, such as 'bluetoothctl scan on'.

            The distance follows from the strength that the beacon claims to have at 1 m, and from the mean strength of \
            about the last eight frames. Walls, people and reflections change the strength by 10 dB and more, so the true \
            distance is in the interval after it 9 times of 10. Use it to tell near from far, not for metres.

            --no-ibeacons scans for Eddystone alone; only then can --low-power let the radio pause.

            EXAMPLES:
              earshot beacons
              earshot beacons --no-ibeacons --low-power
              earshot beacons --json --seconds 10 | jq -r '.beacon // .detail'
              earshot beacons --adapter hci1 --count 1 --quiet

            Lines of JSON:
              {"event":"found","beacon":"ibeacon:f7826da6-…-bc5b71e0893e:1:2",
              "kind":"ibeacon","address":"00:11:22:33:44:55","rssi_dbm":-75,
              "power_1m_dbm":-59,"distance_m":3.91,"distance_low_m":1.41,
              "distance_high_m":19.95,"frames_heard":1,"at_s":0.512,
              "time":"2026-11-22T14:03:22.157Z"}
            'updated' and 'lost' look the same. A beacon with telemetry adds battery_mv, temperature_c, frames_sent and \
            uptime_s, as far as it measures them. kind is eddystone, ibeacon, altbeacon, eddystone-url or eddystone-eid; \
            of the last two, beacon is the address and the 16 digits. A 'problem' line reports a problem, and a 'solved' \
            line its end:
              {"event":"problem","problem":"Bluetooth off","detail":"…","at_s":0.012}

            Exit codes: 0 a beacon was found; 1 no beacon was found.
            """)

    @OptionGroup var bluetooth: AdapterArgument

    @Flag(name: .customLong("no-ibeacons"), help: "Scan for Eddystone alone, not for iBeacon and AltBeacon.")
    var noIBeacons = false

    @Flag(help: "Let the radio pause between scans, with --no-ibeacons; beacons are found and lost later.")
    var lowPower = false

    @OptionGroup var presence: PresenceOptions

    func validate() throws {
        if lowPower, !noIBeacons {
            throw ValidationError("--low-power: iBeacons need the radio all the time. Add --no-ibeacons.")
        }
    }

    func run() throws {
        // Before any thread starts: threads inherit the signal mask.
        let ending = Ending()
        Interruption.request { ending.request() }
        let radio = bluetooth.radio
        let scan = BeaconScan(includesIBeacons: !noIBeacons, prefersLowPower: lowPower)
        let output = BeaconsOutput(PresenceOutput(presence))
        output.begun(scan)
        let over = DispatchSemaphore(value: 0)
        let (limit, seconds) = (presence.count, presence.end.seconds)
        let task = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await event in BluetoothBeacons(radio).frames(scan) {
                        output.take(event)
                        if let limit, output.foundCount >= limit { break }
                    }
                }
                group.addTask {
                    try? await Task.sleep(for: .seconds(seconds ?? 1e9))
                }
                // Either ends the other.
                await group.next()
                group.cancelAll()
            }
            await radio.waitUntilClosed()
            over.signal()
        }
        ending.onRequest { task.cancel() }
        while over.wait(timeout: .now() + 0.25) == .timedOut { output.refresh() }
        output.conclude()
        if output.foundCount == 0 { throw ExitCode(ExitStatus.noTokenFound.rawValue) }
    }
}
