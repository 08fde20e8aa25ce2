import EarshotDiscovery
import NearbyWire
import Synchronization
import TestSupport
import Testing

@testable import EarshotBluetooth

@Suite(.apart, .timeLimit(.minutes(2))) struct BluetoothBeaconsTests {
    private static let eddystone = BeaconIdentifier.eddystone(
        namespace: [UInt8](repeating: 1, count: 10), instance: [UInt8](repeating: 2, count: 6))
    private static let iBeacon = BeaconIdentifier.iBeacon(uuid: [UInt8](repeating: 3, count: 16), major: 1, minor: 2)

    private static func received(_ identifier: BeaconIdentifier, rssi: Int?) throws -> ScanEvent {
        let frame = try #require(BeaconFrame(identifier, strengthAtOneMetreDecibelMilliwatts: -59))
        return .advertisement(
            ReceivedAdvertisement(
                address: "00:11:22:33:44:55", rssiDecibelMilliwatts: rssi, content: try #require(frame.advertisement)))
    }

    @Test func withIBeaconsAllPatternsAreAskedForAndTheRadioNeverRests() throws {
        let radio = ScriptedRadio()
        let events = BluetoothBeacons(radio).events(BeaconScan(includesIBeacons: true, prefersLowPower: true))
        #expect(radio.powers == [.continuous])
        #expect(
            radio.patterns == [
                [
                    .serviceData(BluetoothUUID(short: 0xFEAA)), .manufacturerData(0x004C, prefix: [0x02, 0x15]),
                    .manufacturerData(0x0118, prefix: [0xBE, 0xAC]),
                ]
            ])
        withExtendedLifetime(events) {}
    }

    @Test(arguments: [(true, ScanPower.low), (false, .continuous)])
    func withoutIBeaconsOnlyEddystoneIsAskedFor(prefersLowPower: Bool, power: ScanPower) async throws {
        let radio = ScriptedRadio()
        let scan = BeaconScan(includesIBeacons: false, prefersLowPower: prefersLowPower)
        var events = BluetoothBeacons(radio).events(scan).makeAsyncIterator()
        #expect(radio.powers == [power] && radio.patterns == [[.serviceData(BluetoothUUID(short: 0xFEAA))]])
        // Another stream may have asked for iBeacons: they arrive, and this stream does not parse them.
        radio.send(try Self.received(Self.iBeacon, rssi: -60))
        radio.send(try Self.received(Self.eddystone, rssi: -61))
        let patience = power == .low ? BluetoothBeacons.lowPowerPatience : BluetoothBeacons.patience
        #expect(
            await events.next()
                == .sighting(
                    BeaconSighting(
                        beacon: Self.eddystone, rssiDecibelMilliwatts: -61, strengthAtOneMetreDecibelMilliwatts: -59,
                        patience: patience)))
    }

    @Test func aContinuousScanIsPatientForTenSecondsAtMost() {
        #expect(BluetoothBeacons.patience <= .seconds(10))
    }

    @Test func problemsPassThrough() async throws {
        let radio = ScriptedRadio()
        var events = BluetoothBeacons(radio).events(BeaconScan()).makeAsyncIterator()
        radio.send(.problem(.bluetoothOff, detail: "off"))
        radio.send(.solved(.bluetoothOff))
        radio.send(.opened)
        radio.send(try Self.received(Self.iBeacon, rssi: nil))
        #expect(await events.next() == .problem(.bluetoothOff, detail: "off"))
        #expect(await events.next() == .solved(.bluetoothOff))
        #expect(await events.next() == .opened)
        guard case .sighting(let sighting) = await events.next() else {
            Issue.record("no sighting")
            return
        }
        #expect(sighting.beacon == Self.iBeacon && sighting.rssiDecibelMilliwatts == nil)
    }

    @Test func frameWithoutIdentityIsNoSighting() async throws {
        let radio = ScriptedRadio()
        let beacons = BluetoothBeacons(radio)
        var events = beacons.events(BeaconScan()).makeAsyncIterator()
        let telemetry = BeaconFrame.eddystoneTLM(.plain(BeaconTelemetry()))
        radio.send(
            .advertisement(ReceivedAdvertisement(address: "A", content: try #require(telemetry.advertisement))))
        radio.send(.opened)
        #expect(await events.next() == .opened)
    }

    @Test func theScanEndsWithTheStream() async throws {
        let radio = ScriptedRadio()
        var events: AsyncStream<BeaconEvent<DiscoveryProblem>>? = BluetoothBeacons(radio).events(BeaconScan())
        _ = events
        events = nil
        while !radio.isOver { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test func theStreamEndsWithTheScan() async {
        let radio = ScriptedRadio()
        let events = BluetoothBeacons(radio).events(BeaconScan())
        radio.finish()
        for await _ in events {}
    }
}

/// A radio that reports what a test says.
final class ScriptedRadio: AdvertisementSource {
    private struct State {
        var patterns: [[AdvertisementPattern]] = []
        var powers: [ScanPower] = []
        var continuation: AsyncStream<ScanEvent>.Continuation?
        var isOver = false
    }

    private let state = Mutex(State())

    var patterns: [[AdvertisementPattern]] { state.withLock { $0.patterns } }
    var powers: [ScanPower] { state.withLock { $0.powers } }
    var isOver: Bool { state.withLock { $0.isOver } }

    func send(_ event: ScanEvent) { state.withLock { $0.continuation }?.yield(event) }
    func finish() { state.withLock { $0.continuation }?.finish() }

    func events(_ patterns: [AdvertisementPattern], power: ScanPower) -> AsyncStream<ScanEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: ScanEvent.self)
        continuation.onTermination = { [self] _ in state.withLock { $0.isOver = true } }
        state.withLock { state in
            state.patterns.append(patterns)
            state.powers.append(power)
            state.continuation = continuation
        }
        return stream
    }
}
