/// Eddystone-TLM: the telemetry of a beacon, as service data of 0xFEAA. It has no identity: it comes from the same address as the
/// beacon's other frames.
///
///     0      frame type 0x20
///     1      version: 0x00 as below · 0x01 encrypted: 12 bytes, 2 of salt, 2 of integrity check
///     2–3    battery in mV; 0 if unknown
///     4–5    temperature in °C, signed, 8.8 bits; 0x8000 if unknown
///     6–9    frames sent since the beacon started
///     10–13  time since the beacon started, in 0.1 s
///
/// Source: Eddystone protocol specification, TLM frame, plain and encrypted.
public enum EddystoneTLM: Sendable, Hashable {
    /// Plain telemetry.
    case plain(BeaconTelemetry)
    /// Telemetry that only the beacon's owner can read. It is not decrypted here.
    case encrypted

    static let type: UInt8 = 0x20

    /// Parses service data of 0xFEAA; nil for another frame, version or length.
    public init?(serviceData bytes: [UInt8]) {
        guard bytes.count >= 2, bytes[0] == Self.type else { return nil }
        switch (bytes[1], bytes.count) {
        case (0x00, 14):
            let millivolts = Int(BigEndian.number(bytes[2..<4]))
            let temperature = Int16(truncatingIfNeeded: Int(BigEndian.number(bytes[4..<6])))
            self = .plain(
                BeaconTelemetry(
                    batteryMillivolts: millivolts == 0 ? nil : millivolts,
                    temperatureCelsius: temperature == .min ? nil : Double(temperature) / 256,
                    frameCount: BigEndian.number(bytes[6..<10]),
                    uptimeTenthsOfSeconds: BigEndian.number(bytes[10..<14])))
        case (0x01, 18): self = .encrypted
        default: return nil
        }
    }

    /// The frame, 14 bytes of service data of 0xFEAA; nil for encrypted telemetry.
    public var serviceData: [UInt8]? {
        guard case .plain(let telemetry) = self else { return nil }
        let millivolts = UInt16(max(0, min(telemetry.batteryMillivolts ?? 0, 0xFFFF)))
        var temperature = Int16.min
        if let celsius = telemetry.temperatureCelsius, celsius.isFinite {
            temperature = Int16(max(-32_767, min((celsius * 256).rounded(), 32_767)))
        }
        return [Self.type, 0x00] + BigEndian.bytes(millivolts) + BigEndian.bytes(UInt16(bitPattern: temperature))
            + BigEndian.bytes(telemetry.frameCount) + BigEndian.bytes(telemetry.uptimeTenthsOfSeconds)
    }
}

/// The telemetry of a beacon.
public struct BeaconTelemetry: Sendable, Hashable {
    /// The battery voltage in mV; nil if the beacon does not measure it.
    public var batteryMillivolts: Int?
    /// The temperature in °C, a multiple of 1/256; nil if the beacon does not measure it.
    public var temperatureCelsius: Double?
    /// The number of frames sent since the beacon started; it overflows.
    public var frameCount: UInt32
    /// The time since the beacon started, in 0.1 s; it overflows after 13 years.
    public var uptimeTenthsOfSeconds: UInt32

    /// Telemetry of these values; see the properties of the same names.
    public init(
        batteryMillivolts: Int? = nil, temperatureCelsius: Double? = nil, frameCount: UInt32 = 0,
        uptimeTenthsOfSeconds: UInt32 = 0
    ) {
        self.batteryMillivolts = batteryMillivolts
        self.temperatureCelsius = temperatureCelsius
        self.frameCount = frameCount
        self.uptimeTenthsOfSeconds = uptimeTenthsOfSeconds
    }
}
