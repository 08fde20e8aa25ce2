import EarshotConsole
import Foundation
import TestSupport
import Testing

@testable import EarshotBluetooth
@testable import earshot_messages

/// The Bluetooth adapters that `earshot devices` lists below the sound devices.
@Suite struct AdaptersTests {
    private let adapters = BluetoothOverview(
        adapters: [
            .init(name: "hci0", isPowered: true, bluetoothd: .experimental),
            .init(name: "hci1", isPowered: false, bluetoothd: .stock),
            .init(name: "hci2", isPowered: true, bluetoothd: nil),
        ], trouble: nil)

    @Test func theTextSaysWhichBluetoothdRunsAndWhatToDo() {
        let lines = adapters.text(width: 80).split(separator: "\n").map(String.init)
        #expect(lines.first == "Bluetooth")
        #expect(lines.contains("  on      hci0: bluetoothd runs with --experimental"))
        #expect(lines.contains("  off     hci1: bluetoothd runs without --experimental"))
        #expect(lines.contains("  on      hci2: no Low Energy, which Earshot needs"))
        #expect(lines.joined(separator: " ").contains("/etc/bluetooth/main.conf"))
        #expect(lines.allSatisfy { $0.count <= 80 })
    }

    @Test func theJSONSaysTheSame() throws {
        let advice = try #require(BluetoothdKind.stock.advice)
        #expect(
            adapters.json.map(\.text) == [
                #"{"name":"hci0","direction":"bluetooth","powered":true,"bluetoothd":"experimental"}"#,
                #"{"name":"hci1","direction":"bluetooth","powered":false,"bluetoothd":"stock","advice":"\#(advice)"}"#,
                #"{"name":"hci2","direction":"bluetooth","powered":true,"bluetoothd":"noLowEnergy"}"#,
            ])
    }

    @Test func devicesEndWithTheAdaptersUnlessTheUserAsksForLess() throws {
        let scratch = try Scratch()
        let bus = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=" + scratch.path("no-bus")]
        func devices(_ arguments: String...) throws -> Tool.Result {
            try Tool.run(["devices"] + arguments, environment: bus, in: scratch)
        }
        let text = try devices()
        #expect(text.output.contains("\n\nBluetooth: none: Cannot talk to bluetoothd"), "\(text.output)")
        let line = try #require(try devices("--json").lines.last)
        #expect(
            line.hasPrefix(#"{"direction":"bluetooth","problem":"no Bluetooth service","advice":"Cannot"#), "\(line)")
        for arguments in [["--capture"], ["--playback"], ["null"]] {
            #expect(try !Tool.run(["devices"] + arguments, environment: bus, in: scratch).output.contains("luetooth"))
        }
    }
}
