import EarshotBluetooth
import NearbyWire
import Testing

struct BeaconBookTests {
    private static func identity(_ number: Int) -> BeaconIdentifier {
        .eddystone(
            namespace: [UInt8](repeating: 1, count: 10),
            instance: [
                0, 0, UInt8(number >> 24 & 255), UInt8(number >> 16 & 255), UInt8(number >> 8 & 255),
                UInt8(number & 255),
            ])
    }

    private static func frame(
        _ number: Int = 0, rssi: Int? = -70, address: String = "00:11:22:33:44:55", patience: Duration = .seconds(10)
    ) throws -> ReceivedBeaconFrame {
        ReceivedBeaconFrame(
            frame: try #require(BeaconFrame(identity(number), strengthAtOneMetreDecibelMilliwatts: -59)),
            address: address, rssiDecibelMilliwatts: rssi, patience: patience)
    }

    @Test func aBeaconIsFoundUpdatedAndLost() throws {
        var book = BeaconBook()
        guard case .found(let found) = book.take(try Self.frame(), now: .zero) else {
            Issue.record("not found")
            return
        }
        #expect(found.name == .identifier(Self.identity(0)) && found.rssiDecibelMilliwatts == -70)
        #expect(book.take(try Self.frame(), now: .milliseconds(100)) == nil, "at most one line a second")
        guard case .updated(let updated) = book.take(try Self.frame(rssi: -61), now: .seconds(1)) else {
            Issue.record("not updated")
            return
        }
        #expect(updated.heardFrameCount == 3 && updated.meanRSSIDecibelMilliwatts == -68)
        #expect(book.expire(now: .seconds(11)).isEmpty)
        #expect(book.expire(now: .seconds(11.1)) == [.lost(updated)])
        #expect(book.beacons.isEmpty)
        guard case .found = book.take(try Self.frame(), now: .seconds(12)) else {
            Issue.record("not found again")
            return
        }
    }

    @Test func telemetryBelongsToTheBeaconsOfItsAddress() throws {
        let telemetry = EddystoneTLM.plain(BeaconTelemetry(batteryMillivolts: 3_000))
        func received(_ address: String) -> ReceivedBeaconFrame {
            ReceivedBeaconFrame(frame: .eddystoneTLM(telemetry), address: address, patience: .seconds(10))
        }
        var book = BeaconBook()
        // Telemetry may come first.
        #expect(book.take(received("A"), now: .zero) == nil)
        _ = book.take(try Self.frame(0, address: "A"), now: .seconds(1))
        _ = book.take(try Self.frame(1, address: "B"), now: .seconds(1))
        #expect(book.beacons.filter { $0.telemetry == telemetry }.map(\.name) == [.identifier(Self.identity(0))])
        _ = book.take(received("B"), now: .seconds(2))
        #expect(book.beacons.allSatisfy { $0.telemetry == telemetry })
        // Old telemetry is forgotten.
        _ = book.expire(now: .seconds(60))
        _ = book.take(try Self.frame(0, address: "A"), now: .seconds(60))
        #expect(book.beacons.map(\.telemetry) == [nil])
    }

    @Test func anUnknownStrengthHasNoDistance() throws {
        var book = BeaconBook()
        _ = book.take(try Self.frame(rssi: nil), now: .zero)
        #expect(book.beacons.first?.distance == nil)
        _ = book.take(try Self.frame(rssi: -59), now: .zero)
        #expect(book.beacons.first?.distance?.metres == 1)
    }

    @Test func aCrowdOfBeaconsDoesNotFillTheMemory() throws {
        var book = BeaconBook()
        for number in 0..<5_000 {
            _ = book.take(try Self.frame(number), now: .zero)
            _ = book.take(
                ReceivedBeaconFrame(frame: .eddystoneTLM(.encrypted), address: "\(number)", patience: .seconds(10)),
                now: .zero)
        }
        #expect(book.beacons.count == BeaconBook.maximumCount)
        #expect(book.expire(now: .seconds(11)).count == BeaconBook.maximumCount)
    }

    @Test func otherNamesHaveTheirOwnTexts() throws {
        var book = BeaconBook()
        let url = try #require(EddystoneURL(url: "https://a.com", strengthAtOneMetreDecibelMilliwatts: -59))
        let eid = try #require(
            EddystoneEID(ephemeralIdentifier: [0, 1, 2, 3, 4, 5, 6, 0xFF], strengthAtOneMetreDecibelMilliwatts: -59))
        for frame in [BeaconFrame.eddystoneURL(url), .eddystoneEID(eid)] {
            _ = book.take(ReceivedBeaconFrame(frame: frame, address: "A", patience: .seconds(1)), now: .zero)
        }
        #expect(
            Set(book.beacons.map { "\($0.name.format) \($0.name)" })
                == ["eddystone-url https://a.com", "eddystone-eid 00010203040506ff"])
    }
}
