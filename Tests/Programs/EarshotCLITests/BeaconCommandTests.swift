import Foundation
import TestSupport
import Testing

/// `beacons` and `beacon`, without Bluetooth.
@Suite struct BeaconCommandTests {
    private static let identity = "f7826da6-4fa2-4e98-8024-bc5b71e0893e:1:2"
    private static let altBeacon = "0x0118:" + String(repeating: "0a", count: 20)
    /// A bus that does not exist, in place of the machine's own.
    private static let noBus = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"]

    @Test(
        arguments: [
            (["beacons", "--seconds", "0"], "--seconds 0"), (["beacons", "--count", "0"], "--count 0"),
            (["beacons", "--low-power"], "--no-ibeacons"), (["beacons", "--adapter", ""], "--adapter"),
            (["beacons", "--adapter", "hci 1"], "--adapter"), (["beacon"], "--eddystone"),
            (["beacon", "--eddystone", "00112233445566778899:aabbccddeeff", "--ibeacon", identity], "Give one of"),
            (["beacon", "--url", "https://example.org", "--altbeacon", altBeacon], "Give one of"),
            (["beacon", "--url", "ftp://example.org"], "http://"),
            (["beacon", "--ibeacon", identity, "--telemetry"], "only Eddystone has it"),
            (["beacon", "--url", "https://example.org/eighteen-bytes-"], "17 bytes"),
            (["beacon", "--altbeacon", "118:\(String(repeating: "0a", count: 20))"], "0x0118"),
            (["beacon", "--altbeacon", "0x0118:00"], "40 hexadecimal digits"),
            (["beacon", "--eddystone", "0011:aabbccddeeff"], "20 hexadecimal digits"),
            (["beacon", "--eddystone", "00112233445566778899"], "NAMESPACE:INSTANCE"),
            // The form that this names is accepted, so the next part is what is wrong.
            (["beacon", "--eddystone", "eddystone:00112233445566778899:00"], "12 hexadecimal digits"),
            (["beacon", "--eddystone", "00112233445566778899:\u{1B}[31m"], "12 hexadecimal digits"),
            (["beacon", "--ibeacon", "f7826da6:1:2"], "UUID"), (["beacon", "--ibeacon", "\(identity)34567"], "minor"),
            (["beacon", "--ibeacon", identity, "--power", "-20"], "--power -20"),
            (["beacon", "--ibeacon", identity, "--power", "-129"], "--power -129"),
            (["beacon", "--ibeacon", identity, "--interval", "19"], "--interval 19"),
            (["beacon", "--ibeacon", identity, "--seconds", "0"], "--seconds 0"),
        ] as [([String], String)])
    func wrongUseSaysWhatIsWrong(arguments: [String], words: String) throws {
        let result = try Tool.run(arguments, environment: Self.noBus, in: Scratch())
        #expect(result.status == 64)
        #expect(result.error.contains(words), "\(result.error)")
        #expect(!result.error.contains("\u{1B}"))
    }

    @Test func withoutBluetoothNoBeaconIsFound() throws {
        let result = try Tool.run(
            ["beacons", "--seconds", "1", "--json"], environment: Self.noBus, in: Scratch())
        #expect(result.status == 1, "\(result.error)")
        #expect(result.lines.count == 1 && result.lines.first?.hasPrefix("{\"event\":\"problem\",") == true)
        #expect(result.lines.first?.contains("\"problem\":\"no Bluetooth service\"") == true, "\(result.output)")
        #expect(result.error.contains("scanning for Eddystone, iBeacon and AltBeacon"))
        #expect(result.error.contains("there may be more AltBeacons"))
        #expect(result.error.contains("0 beacons found"))
    }

    @Test(arguments: [
        ["--ibeacon", identity], ["--altbeacon", altBeacon], ["--url", "https://www.example.org/abc"],
        ["--url", "https://www.example.org/abc", "--telemetry"],
    ])
    func withoutBluetoothNoBeaconIsInTheAir(identity: [String]) throws {
        let result = try Tool.run(
            ["beacon"] + identity + ["--seconds", "1"], environment: Self.noBus, in: Scratch())
        #expect(result.status == 69, "\(result.error)")
        #expect(result.error.contains("problem: no Bluetooth service"), "\(result.error)")
        #expect(result.error.contains("not in the air"))
    }

    @Test func anInterruptEndsIt() throws {
        let running = try Running(["beacons", "--json"], in: Scratch())
        running.process.environment = ProcessInfo.processInfo.environment.merging(Self.noBus) { $1 }
        try running.start()
        // The program installs its signal handler before it reports the problem.
        #expect(running.waitForOutput(seconds: 60) { $0.contains("problem") })
        running.process.interrupt()
        #expect(try running.wait().status == 1)
    }
}
