import EarshotBluetooth
import Testing

struct BluetoothUUIDTests {
    @Test func aShortNumberStandsForALongOne() throws {
        let eddystone = BluetoothUUID(short: 0xFEAA)
        #expect(eddystone.description == "0000feaa-0000-1000-8000-00805f9b34fb")
        #expect(BluetoothUUID("0000FEAA-0000-1000-8000-00805F9B34FB") == eddystone)
        #expect(eddystone.short == 0xFEAA)
        let long = try #require(BluetoothUUID("12345678-9abc-def0-1234-56789abcdef0"))
        #expect(long.short == nil && long.description == "12345678-9abc-def0-1234-56789abcdef0")
    }

    @Test(arguments: [
        "", "feaa", "0000feaa-0000-1000-8000-00805f9b34f", "0000feaa-0000-1000-8000-00805f9b34fbb",
        "0000feaa00000-1000-8000-00805f9b34fb", "g000feaa-0000-1000-8000-00805f9b34fb",
        "0000feaa-0000-1000-8000-00805f9b34f\u{e9}",
    ])
    func otherTextIsRefused(text: String) {
        #expect(BluetoothUUID(text) == nil)
    }
}
