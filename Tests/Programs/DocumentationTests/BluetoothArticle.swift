import EarshotBluetooth
import EarshotCoding
import EarshotDiscovery
import NearbyWire

/// Compiled, not run: this code uses the machine's radio.
enum BluetoothCode {
    static func find() async throws {
        let token = try Payload(hex: "0123456789abcdef")
        let discovery = Discovery(media: [BluetoothMedium()], tokens: .always(token))
        for await event in discovery.events() {
            print(event)
        }
    }

    static func share() async {
        let adapter = BluetoothAdapter()
        let medium = BluetoothMedium(adapter: adapter)
        for await event in BluetoothBeacons(adapter).events(BeaconScan()) {
            print(medium.kind, event)
        }
    }
}
