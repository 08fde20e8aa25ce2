import EarshotBluetooth
import NearbyWire
import Testing

/// Frames as the specifications print them, byte by byte.
struct BeaconFrameTests {
    private static let namespace: [UInt8] = Array(0x10...0x19)
    private static let instance: [UInt8] = [0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5]
    private static let uuid: [UInt8] = [
        0xF7, 0x82, 0x6D, 0xA6, 0x4F, 0xA2, 0x4E, 0x98, 0x80, 0x24, 0xBC, 0x5B, 0x71, 0xE0, 0x89, 0x3E,
    ]

    @Test func eddystoneUID() throws {
        // -18 dBm at 0 m are -59 dBm at 1 m.
        let bytes = [0x00, 0xEE] + Self.namespace + Self.instance + [0, 0]
        let frame = try #require(EddystoneUID(serviceData: bytes))
        #expect(frame.identifier == .eddystone(namespace: Self.namespace, instance: Self.instance))
        #expect(frame.strengthAtOneMetreDecibelMilliwatts == -59)
        #expect(frame.serviceData == bytes)
        #expect(EddystoneUID(serviceData: bytes.dropLast(2)) == frame, "older beacons leave the last two bytes out")
    }

    @Test(
        arguments: [
            ([0x03, 0x67, 0x6F, 0x6F, 0x2E, 0x67, 0x6C, 0x2F, 0x78], "https://goo.gl/x"),
            ([0x00, 0x61, 0x07], "http://www.a.com"), ([0x01, 0x61, 0x00, 0x62], "https://www.a.com/b"),
            ([0x02, 0x77, 0x77, 0x77, 0x2E], "http://www."), ([0x02, 0x0D], "http://.gov"),
        ] as [([UInt8], String)])
    func eddystoneURL(rest: [UInt8], url: String) throws {
        let frame = try #require(EddystoneURL(serviceData: [0x10, 0xEE] + rest))
        #expect(frame.url == url && frame.strengthAtOneMetreDecibelMilliwatts == -59)
        #expect(frame.serviceData == [0x10, 0xEE] + rest)
    }

    @Test(arguments: [
        "https://example.org/a", "http://www.example.info", "https://www.a.bizarre/", "https://a.com.b.org/c",
    ])
    func addressesAreShortened(url: String) throws {
        let frame = try #require(EddystoneURL(url: url, strengthAtOneMetreDecibelMilliwatts: -59))
        #expect(frame.serviceData.count <= 20)
        #expect(EddystoneURL(serviceData: frame.serviceData) == frame)
    }

    @Test(arguments: [
        "", "ftp://a.com", "https://", "http://www.", "https://a b", "https://ä.org", "https://a\u{7F}",
        "https://seventeen-and-more",
    ])
    func otherAddressesCannotBeSent(url: String) {
        #expect(EddystoneURL(url: url, strengthAtOneMetreDecibelMilliwatts: -59) == nil)
    }

    @Test func eddystoneTelemetry() throws {
        let bytes: [UInt8] = [0x20, 0x00, 0x0B, 0xB8, 0x16, 0x80, 0, 0, 0x12, 0x34, 0, 0, 0x0E, 0x10]
        let telemetry = BeaconTelemetry(
            batteryMillivolts: 3_000, temperatureCelsius: 22.5, frameCount: 0x1234, uptimeTenthsOfSeconds: 3_600)
        #expect(EddystoneTLM(serviceData: bytes) == .plain(telemetry))
        #expect(EddystoneTLM.plain(telemetry).serviceData == bytes)
        let cold: [UInt8] = [0x20, 0x00, 0, 0, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(EddystoneTLM(serviceData: cold) == .plain(BeaconTelemetry(temperatureCelsius: -0.5)))
        let unknown: [UInt8] = [0x20, 0x00, 0, 0, 0x80, 0x00, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(EddystoneTLM(serviceData: unknown) == .plain(BeaconTelemetry()))
        #expect(EddystoneTLM.plain(BeaconTelemetry()).serviceData == unknown)
    }

    @Test func encryptedTelemetryIsRecognised() {
        let bytes = [0x20, 0x01] + [UInt8](repeating: 0xAB, count: 16)
        #expect(EddystoneTLM(serviceData: bytes) == .encrypted)
        #expect(EddystoneTLM.encrypted.serviceData == nil)
        #expect(EddystoneTLM(serviceData: bytes.dropLast()) == nil)
        #expect(EddystoneTLM(serviceData: [0x20, 0x02] + bytes.dropFirst(2)) == nil)
    }

    @Test(arguments: [
        BeaconTelemetry(batteryMillivolts: -1, temperatureCelsius: -1_000),
        BeaconTelemetry(batteryMillivolts: 70_000, temperatureCelsius: .infinity),
        BeaconTelemetry(temperatureCelsius: 500),
    ])
    func impossibleTelemetryIsCut(telemetry: BeaconTelemetry) throws {
        let bytes = try #require(EddystoneTLM.plain(telemetry).serviceData)
        #expect(EddystoneTLM(serviceData: bytes) != nil)
    }

    @Test func eddystoneEID() throws {
        let bytes: [UInt8] = [0x30, 0xEE, 1, 2, 3, 4, 5, 6, 7, 8]
        let frame = try #require(EddystoneEID(serviceData: bytes))
        #expect(frame.ephemeralIdentifier == [1, 2, 3, 4, 5, 6, 7, 8] && frame.serviceData == bytes)
        #expect(BeaconFrame(eddystone: bytes)?.identifier == nil, "it is recognised, not resolved")
    }

    @Test func iBeacon() throws {
        let bytes = [0x02, 0x15] + Self.uuid + [0x00, 0x01, 0xFF, 0xFF, 0xC5]
        let frame = try #require(IBeacon(manufacturerData: bytes))
        #expect(frame.identifier == .iBeacon(uuid: Self.uuid, major: 1, minor: 65_535))
        #expect(frame.strengthAtOneMetreDecibelMilliwatts == -59 && frame.manufacturerData == bytes)
        #expect(IBeacon(manufacturerData: [0x02, 0x16] + bytes.dropFirst(2)) == nil)
    }

    @Test func altBeacon() throws {
        let identity: [UInt8] = Array(0...19)
        let bytes = [0xBE, 0xAC] + identity + [0xC5, 0x07]
        let frame = try #require(AltBeacon(manufacturer: 0x1234, data: bytes))
        #expect(frame.identifier == .altBeacon(manufacturer: 0x1234, identifier: identity))
        #expect(frame.reserved == 7 && frame.manufacturerData == bytes)
        #expect(frame.strengthAtOneMetreDecibelMilliwatts == -59)
    }

    @Test func wrongLengthsAreRefused() {
        for count in 0...64 {
            let rest = [UInt8](repeating: 0x61, count: count)
            #expect((EddystoneUID(serviceData: [0x00] + rest) != nil) == [17, 19].contains(count), "\(count)")
            #expect((EddystoneURL(serviceData: [0x10, 0, 0] + rest) != nil) == (1...17).contains(count), "\(count)")
            #expect((EddystoneTLM(serviceData: [0x20, 0] + rest) != nil) == (count == 12), "\(count)")
            #expect((EddystoneTLM(serviceData: [0x20, 1] + rest) != nil) == (count == 16), "\(count)")
            #expect((EddystoneEID(serviceData: [0x30] + rest) != nil) == (count == 9), "\(count)")
            #expect((IBeacon(manufacturerData: [0x02, 0x15] + rest) != nil) == (count == 21), "\(count)")
            #expect((AltBeacon(manufacturer: 1, data: [0xBE, 0xAC] + rest) != nil) == (count == 22), "\(count)")
        }
    }

    @Test func partsOfWrongLengthAreNoBeacon() {
        #expect(BeaconFrame(.eddystone(namespace: [], instance: []), strengthAtOneMetreDecibelMilliwatts: -59) == nil)
        #expect(BeaconFrame(.iBeacon(uuid: [1], major: 1, minor: 1), strengthAtOneMetreDecibelMilliwatts: -59) == nil)
        #expect(
            BeaconFrame(.altBeacon(manufacturer: 1, identifier: []), strengthAtOneMetreDecibelMilliwatts: -59) == nil)
    }

    @Test(arguments: [
        BeaconIdentifier.eddystone(namespace: namespace, instance: instance),
        .iBeacon(uuid: uuid, major: 1, minor: 2), .altBeacon(manufacturer: 0x0118, identifier: Array(0...19)),
    ])
    func identitiesComeBackFromTheAir(identifier: BeaconIdentifier) throws {
        let frame = try #require(BeaconFrame(identifier, strengthAtOneMetreDecibelMilliwatts: -65))
        let advertisement = try #require(frame.advertisement)
        let heard = BeaconFrame.frames(in: advertisement, includingIBeacons: true)
        #expect(heard == [frame] && heard.first?.identifier == identifier)
        #expect(heard.first?.strengthAtOneMetreDecibelMilliwatts == -65)
        let withoutIBeacons = BeaconFrame.frames(in: advertisement, includingIBeacons: false)
        #expect(withoutIBeacons.isEmpty == (identifier.kind != .eddystone))
    }

    /// 31 bytes, without the 3 of the flags: 2 + 16 bits of a list, 2 + 16 bits + data of a service, 2 + 16 bits + data of a
    /// manufacturer.
    @Test func eachFrameFitsIntoAnAdvertisement() throws {
        let url = try #require(EddystoneURL(url: "https://seventeen-bytes--", strengthAtOneMetreDecibelMilliwatts: -59))
        #expect(url.serviceData.count == 20)
        let frames = [
            BeaconFrame(
                .eddystone(namespace: Self.namespace, instance: Self.instance), strengthAtOneMetreDecibelMilliwatts: -59
            ),
            BeaconFrame(.iBeacon(uuid: Self.uuid, major: 1, minor: 2), strengthAtOneMetreDecibelMilliwatts: -59),
            BeaconFrame(
                .altBeacon(manufacturer: 1, identifier: Array(0...19)), strengthAtOneMetreDecibelMilliwatts: -59),
            .eddystoneURL(url), .eddystoneTLM(.plain(BeaconTelemetry())),
        ]
        for frame in frames {
            let advertisement = try #require(frame?.advertisement)
            let listed = advertisement.serviceUUIDs.isEmpty ? 0 : 2 + 2 * advertisement.serviceUUIDs.count
            let data = Array(advertisement.serviceData.values) + Array(advertisement.manufacturerData.values)
            #expect(3 + listed + data.reduce(0) { $0 + 4 + $1.count } <= 31, "\(advertisement)")
        }
    }

    @Test func impossiblePowersAreUnknown() throws {
        let identity = Self.namespace + Self.instance
        for (byte, strength) in [(0x14, -21), (0x15, nil), (0x9C, -141), (0x9B, nil), (0x7F, nil)] as [(UInt8, Int?)] {
            let frame = try #require(EddystoneUID(serviceData: [0, byte] + identity))
            #expect(frame.strengthAtOneMetreDecibelMilliwatts == strength)
        }
        for (byte, strength) in [(0xEB, -21), (0xEC, nil), (0x00, nil), (0x80, -128)] as [(UInt8, Int?)] {
            let frame = try #require(IBeacon(manufacturerData: [0x02, 0x15] + Self.uuid + [0, 0, 0, 0, byte]))
            #expect(frame.strengthAtOneMetreDecibelMilliwatts == strength)
        }
    }
}
