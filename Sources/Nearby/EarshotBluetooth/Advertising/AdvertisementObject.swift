import EarshotDBus

extension Advertisement {
    /// The interval that bluetoothd is asked to use for an advertisement, in milliseconds. A scan that listens half of
    /// the time then misses all frames of two seconds about once in ten thousand times. The kernel's own interval is
    /// 1,280 ms.
    private static let intervalMilliseconds: ClosedRange<UInt32> = 100...150

    /// The properties of the advertisement as bluetoothd reads them.
    ///
    /// Type `broadcast`: other devices cannot connect, and the kernel sends from a random address.
    /// Source: BlueZ, `org.bluez.LEAdvertisement(5)`.
    var bluezProperties: [String: DBusValue] {
        // The controller takes 20 ms to 10.24 s.
        let chosen = interval.map { UInt32(max(20, min(($0 / .milliseconds(1)).rounded(), 10_240))) }
        let range = chosen.map { $0...$0 } ?? Self.intervalMilliseconds
        var properties: [String: DBusValue] = [
            "Type": .string("broadcast"),
            "MinInterval": .uint32(range.lowerBound),
            "MaxInterval": .uint32(range.upperBound),
        ]
        if !serviceData.isEmpty {
            properties["ServiceData"] = .properties(
                Dictionary(uniqueKeysWithValues: serviceData.map { ($0.key.bluezText, .bytes($0.value)) }))
        }
        if !manufacturerData.isEmpty {
            var entries: [DBusValue: DBusValue] = [:]
            for (company, data) in manufacturerData { entries[.uint16(company)] = .variant(.bytes(data)) }
            properties["ManufacturerData"] = .dictionary(key: "q", value: "v", entries)
        }
        if !serviceUUIDs.isEmpty {
            properties["ServiceUUIDs"] = .array(of: "s", serviceUUIDs.map { .string($0.bluezText) })
        }
        return properties
    }
}

extension BluetoothUUID {
    /// The UUID as bluetoothd expects it: a short one in 16 bits, because otherwise it would fill 16 bytes of the
    /// advertisement.
    fileprivate var bluezText: String {
        guard let short else { return description }
        let digits = String(short, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
