import EarshotBluetooth
import EarshotSystem
import Foundation

/// The telemetry of this machine as a beacon, from the creation of this value on.
struct BeaconTelemetrySource {
    /// More often is useless, because the contents change slowly, and each renewal costs a call of bluetoothd.
    private static let renewalSeconds = 10.0
    /// The mean interval of a broadcast without `--interval`, see docs/BEACONS.md.
    private static let usualIntervalMilliseconds = 125

    private let intervalMilliseconds: Int
    private let began = MonotonicTime.seconds

    init(intervalMilliseconds: Int?) {
        self.intervalMilliseconds = intervalMilliseconds ?? Self.usualIntervalMilliseconds
    }

    /// The beacon's advertisement with the current telemetry, repeatedly until the stream is no longer read.
    func contents(beside advertisement: Advertisement) -> AsyncStream<[Advertisement]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [Advertisement].self)
        let task = Task {
            while !Task.isCancelled {
                let telemetry = telemetry(
                    uptimeSeconds: MonotonicTime.seconds - began,
                    batteryMillivolts: Self.batteryMillivolts("/sys/class/power_supply"))
                guard var frame = BeaconFrame.eddystoneTLM(.plain(telemetry)).advertisement else { return }
                frame.interval = advertisement.interval
                continuation.yield([advertisement, frame])
                try? await Task.sleep(for: .seconds(Self.renewalSeconds))
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    func telemetry(uptimeSeconds: Double, batteryMillivolts: Int?) -> BeaconTelemetry {
        // Each interval has two frames, the identity and this one.
        BeaconTelemetry(
            batteryMillivolts: batteryMillivolts,
            frameCount: UInt32(truncatingIfNeeded: 2 * Int(uptimeSeconds * 1_000) / intervalMilliseconds),
            uptimeTenthsOfSeconds: UInt32(truncatingIfNeeded: Int(uptimeSeconds * 10)))
    }

    /// The voltage of the first battery; nil if there is none.
    static func batteryMillivolts(_ folder: String) -> Int? {
        for name in ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() {
            func text(_ field: String) -> String? {
                (try? String(contentsOfFile: "\(folder)/\(name)/\(field)", encoding: .utf8))?
                    .trimmingCharacters(in: .whitespacesAndNewlines)
            }
            guard text("type") == "Battery", let microvolts = text("voltage_now").flatMap({ Int($0) }) else { continue }
            return microvolts / 1_000
        }
        return nil
    }
}
