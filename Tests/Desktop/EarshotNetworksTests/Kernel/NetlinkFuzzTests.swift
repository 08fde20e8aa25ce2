import EarshotBasics
import EarshotChannel
import Testing

@testable import EarshotNetworks

@Suite("Damaged netlink messages")
struct NetlinkFuzzTests {
    private static let originals: [(type: UInt16, payload: [UInt8])] = [
        (16, KernelMessages.link()),
        (
            24,
            KernelMessages.route([
                KernelMessages.device(3), KernelMessages.metric(600), KernelMessages.gateway,
                (9, [8, 0, 0, 0, 3, 0, 0, 0, 8, 0, 0, 0, 4, 0, 0, 0]),
            ])
        ),
        (0x10, KernelMessages.family),
        (28, KernelMessages.interface(ssid: Array("My Cruise Ship Wi-Fi".utf8))),
    ]

    /// Reads bytes in every way, and checks the bounds of the results.
    private func read(_ bytes: [UInt8]) -> Int {
        var count = 0
        for message in NetlinkMessages(bytes[...]) {
            #expect(message.payload.count <= bytes.count)
            let link = RouteMessages.link(message)
            #expect(link.map { $0.index > 0 && !$0.name.isEmpty } ?? true)
            let routes = RouteMessages.routes(message)
            #expect(routes.count <= bytes.count / 4 && routes.allSatisfy { $0.link > 0 && $0.metric >= 0 })
            let family = WirelessMessages.family(message)
            let interface = WirelessMessages.interface(message, family: .init(number: 28))
            #expect(interface.map { $0.index > 0 && ($0.ssid?.count ?? 0) <= 32 } ?? true)
            count += [link == nil, routes.isEmpty, family == nil, interface == nil].count { !$0 }
        }
        return count
    }

    @Test("200,000 damaged messages are read without a crash, and most still mean something")
    func damaged() {
        var generator = SeededGenerator(seed: 1)
        var meaningCount = 0
        for round in 0..<200_000 {
            let original = Self.originals[round % Self.originals.count]
            var bytes = NetlinkRequest.bytes(type: original.type, flags: 2, sequence: 1, payload: original.payload)
            bytes += [UInt8](repeating: 0, count: bytes.count.netlinkAligned - bytes.count)
            if round % 3 == 0 { bytes += bytes }
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let place = Int.random(in: bytes.indices, using: &generator)
                bytes[place] = Bool.random(using: &generator) ? .random(in: 0 ... .max, using: &generator) : 0xFF
            }
            if round % 5 == 0 { bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator)) }
            meaningCount += read(bytes)
        }
        #expect(meaningCount > 100_000)
    }

    @Test("random bytes are read without a crash")
    func random() {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<50_000 {
            _ = read(
                (0..<Int.random(in: 0...96, using: &generator)).map { _ in .random(in: 0 ... .max, using: &generator) })
        }
    }
}
