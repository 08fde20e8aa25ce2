import EarshotBasics
import EarshotBluetooth
import EarshotChannel
import EarshotCoding
import TestSupport
import Testing

/// Mutations of valid frames: no parser crashes, and each frame that a parser accepts comes back from its own encoding.
struct BeaconFuzzTests {
    @Test(arguments: [1, 2] as [UInt64]) func mutationsOfFramesNeverCrash(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let valid: [[UInt8]] = [
            [0x00, 0xEE] + Array(1...16) + [0, 0], [0x10, 0xEE, 0x03, 0x61, 0x07, 0x62],
            [0x20, 0x00, 0x0B, 0xB8, 0x16, 0x80, 0, 0, 0x12, 0x34, 0, 0, 0x0E, 0x10],
            [0x20, 0x01] + Array(1...16), [0x30, 0xEE, 1, 2, 3, 4, 5, 6, 7, 8],
            [0x02, 0x15] + Array(1...16) + [0, 1, 0, 2, 0xC5], [0xBE, 0xAC] + Array(1...20) + [0xC5, 0],
        ]
        // Two seeds: 10 million in all.
        let count = TestLength.isLong ? 5_000_000 : 100_000
        var accepted = 0
        for number in 0..<count {
            var bytes = valid[number % valid.count]
            for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&bytes, &random) }
            let company = [0x004C, 0x0118, UInt16.random(in: .min ... .max, using: &random)][number % 3]
            let advertisement = Advertisement(
                serviceData: [BeaconFrame.eddystoneService: bytes], manufacturerData: [company: bytes])
            for frame in BeaconFrame.frames(in: advertisement, includingIBeacons: true) {
                accepted += 1
                guard let sent = frame.advertisement else { continue }
                let again = BeaconFrame.frames(in: sent, includingIBeacons: true)
                // An impossible power is unknown, and the encoder sends a typical one.
                let isEqual =
                    again == [frame]
                    || frame.strengthAtOneMetreDecibelMilliwatts == nil && again.count == 1
                        && again.first?.identifier == frame.identifier
                if !isEqual { Issue.record("seed \(seed), mutation \(number): \(bytes) became \(again)") }
            }
        }
        #expect(accepted > count / 100, "seed \(seed): the mutations leave some frames valid")
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let index = bytes.isEmpty ? 0 : Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0 where !bytes.isEmpty: bytes[index] = .random(in: .min ... .max, using: &random)
        case 1 where !bytes.isEmpty: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2 where !bytes.isEmpty: bytes.remove(at: index)
        case 3: bytes.insert(.random(in: .min ... .max, using: &random), at: index)
        case 4: bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
        default:
            bytes += (0..<Int.random(in: 0..<8, using: &random)).map { _ in .random(in: .min ... .max, using: &random) }
        }
        // BlueZ passes on at most 255 bytes.
        if bytes.count > 255 { bytes.removeLast(bytes.count - 255) }
    }
}
