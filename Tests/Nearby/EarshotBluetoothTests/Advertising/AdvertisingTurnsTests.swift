import EarshotCoding
import EarshotDBus
import Testing

@testable import EarshotBluetooth

@Suite struct AdvertisingTurnsTests {
    private func content(_ byte: UInt8) -> Advertisement {
        Advertisement(serviceData: [BluetoothUUID(short: 0xFEAA): [byte]])
    }

    @Test func advertisementsTakeTurnsInTheirOrder() {
        var turns = AdvertisingTurns()
        turns.want([content(1), content(2), content(3), content(2)])
        #expect(turns.waiting == [content(1), content(2), content(3)])
        turns.add(.init(path: "/1", content: content(1)))
        #expect(turns.waiting == [content(2), content(3)] && turns.obsolete == nil && turns.keptCount == 1)
        turns.add(.init(path: "/2", content: content(2)))
        turns.remove("/1")
        #expect(turns.waiting == [content(3), content(1)])
        turns.want([content(3)])
        #expect(turns.obsolete?.path == "/2" && turns.keptCount == 0)
        turns.removeAll()
        #expect(turns.registered.isEmpty && turns.waiting == [content(3)])
    }

    @Test func tokensFitIntoAnAdvertisement() throws {
        let token = try Payload(hex: "0123456789abcdef")
        let content = try #require(TokenAdvertisement.content(token))
        #expect(TokenAdvertisement.token(content) == token)
        // Flags take 3 bytes, length and type 2, the UUID 16: 10 bytes of 31 are left.
        #expect(31 - 3 - 2 - 16 == TokenAdvertisement.maximumByteCount)
        #expect(TokenAdvertisement.content(try Payload(Array(repeating: 1, count: 10))) != nil)
        #expect(TokenAdvertisement.content(try Payload(Array(repeating: 1, count: 11))) == nil)
        let long = Advertisement(serviceData: [TokenAdvertisement.service: Array(repeating: 1, count: 11)])
        #expect(TokenAdvertisement.token(long) == nil)
        #expect(TokenAdvertisement.token(Advertisement(serviceData: [TokenAdvertisement.service: []])) == nil)
    }

    @Test func shortServicesTakeTwoBytes() {
        let properties = Advertisement(serviceData: [BluetoothUUID(short: 0xFEAA): [1]]).bluezProperties
        #expect(properties["ServiceData"]?.named == ["feaa": .bytes([1])])
        #expect(properties["Type"] == .string("broadcast"))
    }
}
