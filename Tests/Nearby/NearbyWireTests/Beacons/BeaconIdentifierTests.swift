import NearbyWire
import Testing

@Suite struct BeaconIdentifierTests {
    static let eddystone = BeaconIdentifier.eddystone(
        namespace: [0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99],
        instance: [0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF])
    static let iBeacon = BeaconIdentifier.iBeacon(
        uuid: [
            0xF7, 0x82, 0x6D, 0xA6, 0x4F, 0xA2, 0x4E, 0x98, 0x80, 0x24, 0xBC, 0x5B, 0x71, 0xE0, 0x89, 0x3E,
        ], major: 1, minor: 65_535)
    static let altBeacon = BeaconIdentifier.altBeacon(manufacturer: 0x0118, identifier: Array(0..<20))

    @Test(arguments: [
        (eddystone, "eddystone:00112233445566778899:aabbccddeeff"),
        (iBeacon, "ibeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893e:1:65535"),
        (altBeacon, "altbeacon:0x0118:000102030405060708090a0b0c0d0e0f10111213"),
    ])
    func textAndBytesAndBack(_ beacon: BeaconIdentifier, _ text: String) throws {
        #expect(beacon.text == text)
        #expect(try BeaconIdentifier(text: text) == beacon)
        #expect(try BeaconIdentifier(text: text.uppercased().replacing("0X", with: "0x")) == beacon)
        #expect(beacon.bytes.count == beacon.kind.byteCount)
        #expect(BeaconIdentifier(beacon.kind, bytes: beacon.bytes) == beacon)
        #expect(BeaconIdentifier(beacon.kind, bytes: beacon.bytes + [0]) == nil)
        #expect(BeaconIdentifier(beacon.kind, bytes: Array(beacon.bytes.dropLast())) == nil)
        #expect(beacon.isComplete)
    }

    @Test func bytesInTheOrderOfTheAir() {
        #expect(Self.iBeacon.bytes.suffix(4) == [0, 1, 0xFF, 0xFF])
        #expect(Self.altBeacon.bytes.prefix(3) == [1, 0x18, 0])
    }

    @Test func aUUIDWithoutHyphens() throws {
        #expect(try BeaconIdentifier(text: "ibeacon:F7826DA64FA24E988024BC5B71E0893E:1:65535") == Self.iBeacon)
    }

    @Test(arguments: [
        ("", BeaconTextError.unknownKind), ("eddy:00:11", .unknownKind), ("🎉", .unknownKind),
        ("eddystone", .partCount(.eddystone)), ("eddystone:00112233445566778899", .partCount(.eddystone)),
        ("eddystone:00112233445566778899:aabbccddeeff:", .partCount(.eddystone)),
        ("eddystone::aabbccddeeff", .notDigits("namespace", count: 20)),
        ("eddystone:0011223344556677889g:aabbccddeeff", .notDigits("namespace", count: 20)),
        ("eddystone:00112233445566778899:aabbccddeef", .notDigits("instance", count: 12)),
        ("eddystone:00112233445566778899:aabbccddeef ", .notDigits("instance", count: 12)),
        ("ibeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893e:1", .partCount(.iBeacon)),
        ("ibeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893:1:2", .notUUID),
        ("ibeacon:f7826da64fa2-4e98-8024-bc5b71e0893e-:1:2", .notUUID),
        ("ibeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893e:65536:2", .notNumber("major")),
        ("ibeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893e:+1:2", .notNumber("major")),
        ("ibeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893e:1:", .notNumber("minor")),
        ("ibeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893e:1:99999999999999999999", .notNumber("minor")),
        ("altbeacon:0118:000102030405060708090a0b0c0d0e0f10111213", .notCompany),
        ("altbeacon:0x118:000102030405060708090a0b0c0d0e0f10111213", .notCompany),
        ("altbeacon:0x0118:0001", .notDigits("identifier", count: 40)),
    ])
    func otherTextsAreRefused(_ text: String, _ error: BeaconTextError) {
        #expect(throws: error) { try BeaconIdentifier(text: text) }
        #expect(!error.description.isEmpty)
    }

    @Test func partsOfOtherLengthsAreIncomplete() {
        #expect(!BeaconIdentifier.eddystone(namespace: [1], instance: Array(0..<15)).isComplete)
        #expect(!BeaconIdentifier.iBeacon(uuid: [], major: 1, minor: 2).isComplete)
        #expect(!BeaconIdentifier.altBeacon(manufacturer: 1, identifier: []).isComplete)
    }
}
