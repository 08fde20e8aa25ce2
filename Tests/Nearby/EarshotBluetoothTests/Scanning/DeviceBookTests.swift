import EarshotDBus
import Testing

@testable import EarshotBluetooth

@Suite struct DeviceBookTests {
    private let service = BluetoothUUID(short: 0xFEAA)
    private let path = "/org/bluez/hci0/dev_00_11_22_33_44_55"

    private func properties(_ bytes: [UInt8], rssi: Int16 = -60) -> [String: DBusValue] {
        [
            "RSSI": .int16(rssi),
            "ServiceData": .dictionary(
                key: "s", value: "v", [.string(service.description): .variant(.bytes(bytes))]),
        ]
    }

    @Test func aChangeWithContentIsAReception() {
        var book = DeviceBook(.continuous)
        let received = book.change(path, properties([1, 2]), now: .zero)
        #expect(
            received
                == ReceivedAdvertisement(
                    address: "00:11:22:33:44:55", rssiDecibelMilliwatts: -60,
                    content: Advertisement(serviceData: [service: [1, 2]])))
        #expect(book.change(path, ["RSSI": .int16(-50)], now: .seconds(1)) == nil)
        #expect(book.change("/org/bluez/hci0", properties([1]), now: .seconds(1)) == nil)
    }

    @Test func aSignalStrengthOf127IsUnknown() {
        var book = DeviceBook(.continuous)
        #expect(book.change(path, properties([1], rssi: 127), now: .zero)?.rssiDecibelMilliwatts == nil)
        #expect(book.change(path, properties([1], rssi: -90), now: .zero)?.rssiDecibelMilliwatts == -90)
    }

    @Test func aFoundDeviceIsHeardAgainWithItsContent() {
        var book = DeviceBook(.continuous)
        let pattern = AdvertisementPattern.serviceData(service)
        #expect(book.found(path, pattern, now: .zero) == .unknown)
        let received = book.change(path, properties([7]), now: .seconds(1))
        // bluetoothd calls DeviceFound right after the signal: the same reception.
        #expect(book.found(path, pattern, now: .seconds(1) + .milliseconds(5)) == .known)
        #expect(received.map { book.found(path, pattern, now: .seconds(5)) == .heard($0) } == true)
        #expect(book.found(path, .manufacturerData(0x4C, prefix: []), now: .seconds(6)) == .unknown)
        book.remove(path)
        #expect(book.found(path, pattern, now: .seconds(7)) == .unknown)
    }

    /// A device that is heard in one round of three may be silent for longer than one that is heard in every round.
    @Test func aDeviceThatIsHeardRarelyMayBeSilentForLonger() {
        var patience: [Int: Duration] = [:]
        for rounds in [1, 3] {
            var book = DeviceBook(.continuous)
            for number in 0..<20 {
                patience[rounds] = book.change(path, properties([1]), now: .seconds(4 * rounds * number))?.patience
            }
        }
        #expect(patience[1] == .seconds(9))
        #expect(patience[3].map { $0 > .seconds(40) && $0 <= .seconds(64) } == true, "\(patience)")
    }

    @Test func aScanThatOthersHoldSaysNothingAboutADevice() {
        var book = DeviceBook(.continuous)
        book.isShared = true
        for number in 0..<20 {
            let received = book.change(path, properties([1]), now: .seconds(10.5) * number)
            #expect(received?.patience == ScanRounds.patienceWhileShared)
        }
        book.isShared = false
        #expect(book.change(path, properties([1]), now: .seconds(220))?.patience == ScanRounds.patience)
    }

    /// Endless new addresses: one every 2 s for 24 simulated hours, or 20,000 in a second.
    @Test(arguments: [(43_200, 2_000_000), (20_000, 50)])
    func everNewAddressesDoNotGrowTheBook(count: Int, intervalMicroseconds: Int) {
        var book = DeviceBook(.continuous)
        let content = properties([1, 2, 3, 4, 5, 6, 7, 8])
        var (maximum, receivedCount) = (0, 0)
        for number in 0..<count {
            let digits = String(number, radix: 16, uppercase: true)
            let padded = String(repeating: "0", count: 4 - min(4, digits.count)) + digits
            let path = "/org/bluez/hci0/dev_00_00_0\(padded.count - 4)_00_\(padded.prefix(2))_\(padded.suffix(2))"
            if book.change(path, content, now: .microseconds(intervalMicroseconds * number)) != nil {
                receivedCount += 1
            }
            maximum = max(maximum, book.count)
        }
        #expect(receivedCount == count && maximum <= DeviceBook.maximumCount)
    }
}
