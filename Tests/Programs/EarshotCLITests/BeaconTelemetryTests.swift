import EarshotBluetooth
import Foundation
import TestSupport
import Testing

@testable import earshot_messages

@Suite struct BeaconTelemetryTests {
    @Test func telemetryIsSentBesideTheIdentity() async throws {
        let identity = Advertisement(serviceData: [BeaconFrame.eddystoneService: [0]])
        let source = BeaconTelemetrySource(intervalMilliseconds: 100)
        let contents = try #require(await source.contents(beside: identity).first { _ in true })
        #expect(contents.count == 2 && contents.first == identity)
        let bytes = try #require(contents.last?.serviceData[BeaconFrame.eddystoneService])
        guard case .eddystoneTLM(.plain(let telemetry))? = BeaconFrame(eddystone: bytes) else {
            Issue.record("\(bytes)")
            return
        }
        // Two frames are counted in each tenth of a second, however late a busy machine asks for them.
        #expect(telemetry.frameCount / 2 == telemetry.uptimeTenthsOfSeconds && telemetry.temperatureCelsius == nil)
        let later = source.telemetry(uptimeSeconds: 61.25, batteryMillivolts: 3_700)
        #expect(
            later
                == BeaconTelemetry(batteryMillivolts: 3_700, frameCount: 1_225, uptimeTenthsOfSeconds: 612))
    }

    @Test func theFirstBatteryCounts() throws {
        let scratch = try Scratch()
        #expect(BeaconTelemetrySource.batteryMillivolts(scratch.path("none")) == nil)
        for (name, type, voltage) in [("AC", "Mains", nil), ("BAT0", "Battery", "12345678"), ("BAT1", "Battery", "1")] {
            try FileManager.default.createDirectory(
                atPath: scratch.path("supplies/\(name)"), withIntermediateDirectories: true)
            try Data("\(type)\n".utf8).write(to: URL(filePath: scratch.path("supplies/\(name)/type")))
            if let voltage {
                try Data("\(voltage)\n".utf8).write(to: URL(filePath: scratch.path("supplies/\(name)/voltage_now")))
            }
        }
        #expect(BeaconTelemetrySource.batteryMillivolts(scratch.path("supplies")) == 12_345)
    }
}
