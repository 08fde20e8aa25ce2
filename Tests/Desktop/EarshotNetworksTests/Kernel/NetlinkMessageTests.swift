import Testing

@testable import EarshotNetworks

@Suite("Netlink messages")
struct NetlinkMessageTests {
    private static func message(_ type: UInt16, _ payload: [UInt8], sequence: UInt32 = 7) -> [UInt8] {
        let bytes = NetlinkRequest.bytes(type: type, flags: 2, sequence: sequence, payload: payload)
        return bytes + [UInt8](repeating: 0, count: bytes.count.netlinkAligned - bytes.count)
    }

    @Test("messages follow each other at multiples of four bytes")
    func sequence() {
        let bytes = Self.message(16, [1, 2, 3]) + Self.message(24, []) + Self.message(3, [9])
        let messages = Array(NetlinkMessages(bytes[...]))
        #expect(messages.map(\.type) == [16, 24, 3])
        #expect(messages.map { Array($0.payload) } == [[1, 2, 3], [], [9]])
        #expect(messages.allSatisfy { $0.flags == 2 && $0.sequence == 7 })
    }

    @Test(
        "a length that is too short or too long ends the sequence",
        arguments: [0, 1, 15, 100, .max] as [UInt32])
    func wrongLength(length: UInt32) {
        let first = Self.message(16, [1, 2, 3, 4])
        var second = Self.message(24, [5, 6, 7, 8])
        second.replaceSubrange(0..<4, with: NetlinkRequest.integer(length))
        #expect(Array(NetlinkMessages((first + second)[...])).map(\.type) == [16])
    }

    @Test("attributes are read without the bits that describe their content")
    func attributes() {
        let bytes =
            NetlinkRequest.attribute(0x8003, [1, 2, 3, 4, 5]) + NetlinkRequest.attribute(0x4004, [])
            + NetlinkRequest.attribute(5, Array("wlan0".utf8) + [0])
        let attributes = Array(NetlinkAttributes(bytes[...]))
        #expect(attributes.map(\.type) == [3, 4, 5])
        #expect(attributes.map(\.payload.count) == [5, 0, 6])
        #expect(attributes[2].text == "wlan0")
    }

    @Test("an integer of another size and a text that is not UTF-8 give nil")
    func wrongContent() throws {
        let bytes = NetlinkRequest.attribute(1, [1, 2, 3]) + NetlinkRequest.attribute(2, [0xFF, 0xFE])
        let attributes = Array(NetlinkAttributes(bytes[...]))
        try #require(attributes.count == 2)
        #expect(attributes[0].integer(UInt32.self) == nil)
        #expect(attributes[0].integer(UInt16.self) == nil)
        #expect(attributes[1].text == nil)
        #expect(attributes[1].integer(UInt16.self) == UInt16(littleEndian: 0xFEFF))
    }

    @Test("bytes cut at any place give the messages before the cut")
    func cuts() {
        let whole = Self.message(16, [1, 2, 3, 4]) + Self.message(24, NetlinkRequest.attribute(6, [1, 0, 0, 0]))
        for count in 0...whole.count {
            let messages = Array(NetlinkMessages(whole.prefix(count)))
            #expect(messages.count == (count == whole.count ? 2 : count >= 20 ? 1 : 0), "\(count) bytes")
        }
    }
}
