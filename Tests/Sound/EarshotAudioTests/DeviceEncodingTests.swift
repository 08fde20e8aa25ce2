import EarshotBasics
import TestSupport
import Testing

@testable import EarshotAudio

/// Samples to bytes and back, compared with twins that work byte by byte in double precision.
@Suite struct DeviceEncodingTests {
    private static let edges: [Float] = [
        0, -0.0, 1, -1, 0x1p-15, -0x1p-15, 0x1p-16, 0x1.8p-15, 0x1p-23, 0x1p-24, 0x1p-31, -0x1p-32, 0x1p-149,
        1 - 0x1p-24, 1 - 0x1p-15, 1.000_001, -1.000_001, 2, -2, 1e30, -1e30, .infinity, -.infinity, .nan,
    ]

    private static func samples() -> [Float] {
        var random = SeededGenerator(seed: 31)
        return edges + random.samples(5_000) + random.samples(2_000).map { 1.5 * $0 }
    }

    @Test(arguments: DeviceEncoding.allCases)
    func encodingEqualsItsTwin(encoding: DeviceEncoding) {
        let samples = Self.samples()
        #expect(encoding.bytes(samples, offset: 0) == samples.flatMap { Twin.encode($0, encoding) })
    }

    @Test(arguments: DeviceEncoding.allCases)
    func decodingEqualsItsTwin(encoding: DeviceEncoding) {
        var random = SeededGenerator(seed: 32)
        let size = encoding.bytesPerSample
        // The bytes cover every sign and every padding byte.
        let bytes =
            [0x00, 0x7F, 0x80, 0xFF].flatMap { [UInt8](repeating: $0, count: 4 * size) } + random.bytes(5_000 * size)
        let expected = stride(from: 0, to: bytes.count, by: size).map {
            Twin.decode(Array(bytes[$0..<$0 + size]), encoding)
        }
        // Compares bits, because some random floats are NaN.
        #expect(encoding.samples(bytes, offset: 0).map(\.bitPattern) == expected.map(\.bitPattern))
    }

    @Test(arguments: DeviceEncoding.allCases, 1...3)
    func alignmentDoesNotMatter(encoding: DeviceEncoding, offset: Int) {
        let samples = Self.samples()
        let bytes = encoding.bytes(samples, offset: 0)
        #expect(encoding.bytes(samples, offset: offset) == bytes)
        let decoded = encoding.samples(bytes, offset: offset)
        #expect(decoded.map(\.bitPattern) == encoding.samples(bytes, offset: 0).map(\.bitPattern))
    }

    @Test(arguments: DeviceEncoding.allCases)
    func aRoundTripLosesHalfAStep(encoding: DeviceEncoding) {
        let step: Float =
            switch encoding {
            case .f32: 0
            // A Float has 24 bits, which limits the loss.
            case .s32, .s24, .s24packed: 0x1p-23
            case .s16: 0x1p-15
            }
        let samples = Self.samples().filter { abs($0) <= 1 - 0x1p-15 }
        #expect(samples.count > 5_000)
        let returned = encoding.samples(encoding.bytes(samples, offset: 0), offset: 0)
        for (sample, other) in zip(samples, returned) {
            #expect(abs(sample - other) <= step / 2, "\(sample) became \(other)")
        }
    }

    @Test func everyIntegerOf16BitsReturns() {
        let bytes = (0...UInt16.max).flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        #expect(DeviceEncoding.s16.bytes(DeviceEncoding.s16.samples(bytes, offset: 0), offset: 0) == bytes)
    }
}

/// The conversions by definition.
private enum Twin {
    private static func bits(_ encoding: DeviceEncoding) -> Int {
        switch encoding {
        case .f32, .s32: 32
        case .s24, .s24packed: 24
        case .s16: 16
        }
    }

    static func encode(_ sample: Float, _ encoding: DeviceEncoding) -> [UInt8] {
        let fullScale = Double(1 << (bits(encoding) - 1))
        let value: Int
        if encoding == .f32 {
            value = Int((sample.isNaN ? 0 : sample > 1 ? 1 : sample < -1 ? -1 : sample).bitPattern)
        } else if sample.isNaN {
            value = 0
        } else {
            let scaled = Double(sample) * fullScale
            value = scaled >= fullScale - 1 ? Int(fullScale) - 1 : scaled <= -fullScale ? -Int(fullScale) : even(scaled)
        }
        return (0..<encoding.bytesPerSample).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// The nearest integer; of two, the even one.
    private static func even(_ value: Double) -> Int {
        let below = Int(value.rounded(.down))
        let rest = value - Double(below)
        return rest < 0.5 || rest == 0.5 && below % 2 == 0 ? below : below + 1
    }

    static func decode(_ bytes: [UInt8], _ encoding: DeviceEncoding) -> Float {
        let count = bits(encoding) / 8
        let word = (0..<count).reduce(0) { $0 | Int(bytes[$1]) << (8 * $1) }
        if encoding == .f32 { return Float(bitPattern: UInt32(word)) }
        let range = 1 << (8 * count)
        return Float(Double(word >= range / 2 ? word - range : word) / Double(range / 2))
    }
}

extension DeviceEncoding {
    /// The bytes that `encode` writes `offset` bytes after an aligned address; checks that
    /// it writes nothing after them.
    fileprivate func bytes(_ samples: [Float], offset: Int) -> [UInt8] {
        let count = samples.count * bytesPerSample
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: offset + count + 8, alignment: 16)
        defer { room.deallocate() }
        for index in room.indices { room[index] = 0xA5 }
        samples.withUnsafeBufferPointer {
            encode($0, into: UnsafeMutableRawBufferPointer(rebasing: room[offset..<offset + count]))
        }
        #expect(room[..<offset].allSatisfy { $0 == 0xA5 } && room[(offset + count)...].allSatisfy { $0 == 0xA5 })
        return Array(room[offset..<offset + count])
    }

    /// The samples that `decode` reads `offset` bytes after an aligned address.
    fileprivate func samples(_ bytes: [UInt8], offset: Int) -> [Float] {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: offset + bytes.count, alignment: 16)
        defer { room.deallocate() }
        UnsafeMutableRawBufferPointer(rebasing: room[offset...]).copyBytes(from: bytes)
        let count = bytes.count / bytesPerSample
        return [Float](unsafeUninitializedCapacity: count) { target, initialized in
            if let base = target.baseAddress {
                decode(UnsafeRawBufferPointer(rebasing: room[offset...]), count: count, into: base)
            }
            initialized = count
        }
    }
}
