import EarshotBasics
import EarshotBluetooth
import EarshotCoding
import EarshotConsole
import NearbyWire

/// A beacon in words and in JSON.
enum BeaconText {
    /// A beacon in one line: name, strength, distance with its interval, telemetry.
    static func description(_ beacon: BeaconInAir) -> String {
        var parts = [name(beacon)]
        if let rssi = beacon.rssiDecibelMilliwatts { parts.append("\(rssi) dBm") }
        if let distance = beacon.distance { parts.append(description(distance)) }
        switch beacon.telemetry {
        case .plain(let telemetry): parts += description(telemetry)
        case .encrypted: parts.append("telemetry encrypted")
        case nil: break
        }
        return parts.joined(separator: "  ")
    }

    /// The name; an address and a changing identity with their kind before them, as identities have it.
    private static func name(_ beacon: BeaconInAir) -> String {
        switch beacon.name {
        case .identifier(let identifier): identifier.text
        // Visible ASCII only, so it is safe on a terminal.
        case .url(let url): "url \(url)"
        case .ephemeral: "eid \(beacon.name)"
        }
    }

    /// A distance with its interval: 3.9 m (1.4 to 20 m).
    static func description(_ distance: BeaconDistance) -> String {
        let interval = distance.interval
        return "\(metres(distance.metres)) m (\(metres(interval.lowerBound)) to \(metres(interval.upperBound)) m)"
    }

    /// Two digits: the strength does not justify more.
    private static func metres(_ value: Double) -> String {
        if value >= 1_000 { return DecimalText.grouped(Int((value / 100).rounded()) * 100) }
        if value >= 100 { return DecimalText.text((value / 10).rounded() * 10, decimals: 0) }
        return DecimalText.text(value, decimals: value >= 9.95 ? 0 : value >= 0.995 ? 1 : 2)
    }

    private static func description(_ telemetry: BeaconTelemetry) -> [String] {
        var parts: [String] = []
        if let battery = telemetry.batteryMillivolts { parts.append("\(battery) mV") }
        if let temperature = telemetry.temperatureCelsius {
            parts.append("\(DecimalText.text(temperature, decimals: 1)) °C")
        }
        parts.append("\(DecimalText.grouped(Int(telemetry.frameCount))) frames")
        parts.append("up \(ClockText.text(seconds: Double(telemetry.uptimeTenthsOfSeconds) / 10))")
        return parts
    }

    static func add(_ beacon: BeaconInAir, to line: inout JSONLine) {
        line.add("beacon", beacon.name.description)
        line.add("kind", beacon.name.format)
        line.add("address", beacon.address)
        if let rssi = beacon.rssiDecibelMilliwatts { line.add("rssi_dbm", rssi) }
        if let power = beacon.strengthAtOneMetreDecibelMilliwatts { line.add("power_1m_dbm", power) }
        if let distance = beacon.distance {
            line.add("distance_m", distance.metres, decimals: 2)
            line.add("distance_low_m", distance.interval.lowerBound, decimals: 2)
            line.add("distance_high_m", distance.interval.upperBound, decimals: 2)
        }
        switch beacon.telemetry {
        case .plain(let telemetry):
            if let battery = telemetry.batteryMillivolts { line.add("battery_mv", battery) }
            if let temperature = telemetry.temperatureCelsius { line.add("temperature_c", temperature, decimals: 2) }
            line.add("frames_sent", Int(telemetry.frameCount))
            line.add("uptime_s", Double(telemetry.uptimeTenthsOfSeconds) / 10, decimals: 1)
        case .encrypted: line.add("telemetry", "encrypted")
        case nil: break
        }
        line.add("frames_heard", beacon.heardFrameCount)
    }
}
