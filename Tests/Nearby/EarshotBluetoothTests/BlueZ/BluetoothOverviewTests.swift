import DesktopTestSupport
import EarshotDBus
import EarshotDiscovery
import Synchronization
import TestSupport
import Testing

@testable import EarshotBluetooth

@Suite(.apart) struct BluetoothOverviewTests {
    private let pattern = AdvertisementPattern.serviceData(TokenAdvertisement.service)

    @Test func theKindOfBluetoothdIsThatOfItsInterfaces() async throws {
        for (offersMonitors, kind) in [(true, BluetoothdKind.experimental), (false, .stock)] {
            let bus = try SessionBus()
            let bluez = try await FakeBlueZ(bus, offersMonitors: offersMonitors)
            try await bluez.set("hci0", isPowered: true)
            try await bluez.set("hci1", isPowered: false)
            let overview = await BluetoothOverview.read(bus.bus)
            #expect(
                overview.adapters == [
                    .init(name: "hci0", isPowered: true, bluetoothd: kind),
                    .init(name: "hci1", isPowered: false, bluetoothd: kind),
                ])
            #expect(overview.trouble == nil)
            // The overview only asks.
            #expect(bluez.calls.isEmpty)
        }
        #expect(BluetoothdKind.experimental.advice == nil)
        #expect(BluetoothdKind.stock.advice?.contains("Experimental = true") == true)
    }

    @Test func whatIsMissingIsSaid() async throws {
        let bus = try SessionBus()
        let nowhere = await BluetoothOverview.read(.address("unix:path=/nonexistent"))
        #expect(nowhere.trouble?.problem == .noBluetoothService && nowhere.adapters.isEmpty)
        #expect(await BluetoothOverview.read(bus.bus).trouble?.detail.contains("does not run") == true)
        let bluez = try await FakeBlueZ(bus)
        #expect(await BluetoothOverview.read(bus.bus).trouble?.problem == .noBluetoothAdapter)
        try await bluez.set("hci0", isPowered: true)
        bluez.set(isForbidden: true)
        #expect(await BluetoothOverview.read(bus.bus).trouble?.problem == .bluetoothForbidden)
    }

    @Test(.timeLimit(.minutes(1))) func aBluetoothdThatHangsIsNoEndlessWait() async throws {
        let bus = try SessionBus()
        let silent = bus.connect()
        try await silent.export(
            BlueZName.root,
            DBusObject([
                BlueZName.introspectable: .init(methods: [
                    "Introspect": { _ throws(DBusError) in throw .noReply }
                ])
            ]))
        _ = try await silent.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
            [.string(BlueZName.service), .uint32(0)])
        let overview = await BluetoothOverview.read(bus.bus, timeLimit: .milliseconds(200))
        #expect(overview.trouble?.detail.contains("no answer") == true)
    }

    /// One line for each kind, not one for each round or restart.
    @Test func theLogSaysWhichKindRuns() async throws {
        let bus = try SessionBus()
        let lines = Mutex<[String]>([])
        let adapter = BluetoothAdapter(nil, bus: bus.bus) { line in lines.withLock { $0.append(line) } }
        let scan = Task { for await _ in adapter.events([pattern], power: .continuous) {} }
        for (number, offersMonitors) in [false, false, true].enumerated() {
            let bluez = try await FakeBlueZ(bus, offersMonitors: offersMonitors)
            try await bluez.set("hci0", isPowered: true)
            let begin = offersMonitors ? "RegisterMonitor" : "StartDiscovery"
            #expect(await poll { bluez.calls.contains(begin) }, "\(number)")
            bluez.connection.close()
            await bluez.connection.waitUntilClosed()
        }
        let expected = [BluetoothdKind.stock, .experimental].map { kind in
            ["hci0: \(kind.text).", kind.advice].compactMap(\.self).joined(separator: " ")
        }
        #expect(lines.withLock { $0 } == expected)
        scan.cancel()
        await scan.value
        await adapter.waitUntilClosed()
    }
}
