import CALSA

/// The sample encoding of a device; all little-endian. The raw values are ALSA's names.
public enum DeviceEncoding: String, CaseIterable, Sendable {
    /// IEEE 754 floats of 32 bits.
    case f32 = "FLOAT_LE"
    /// Signed integers of 32 bits.
    case s32 = "S32_LE"
    /// Signed integers of 24 bits in the lower three of four bytes.
    case s24 = "S24_LE"
    /// Signed integers of 24 bits in three bytes.
    case s24packed = "S24_3LE"
    /// Signed integers of 16 bits.
    case s16 = "S16_LE"

    /// The size of one sample in bytes: 2, 3 or 4.
    public var bytesPerSample: Int {
        switch self {
        case .f32, .s32, .s24: 4
        case .s24packed: 3
        case .s16: 2
        }
    }

    var alsaFormat: snd_pcm_format_t {
        switch self {
        case .f32: SND_PCM_FORMAT_FLOAT_LE
        case .s32: SND_PCM_FORMAT_S32_LE
        case .s24: SND_PCM_FORMAT_S24_LE
        case .s24packed: SND_PCM_FORMAT_S24_3LE
        case .s16: SND_PCM_FORMAT_S16_LE
        }
    }

    /// Converts recorded samples to floats: x[i] = n[i] / 2^(bits − 1).
    /// - Parameters:
    ///   - bytes: the recorded samples; shape [count][bytesPerSample].
    ///   - samples: receives `count` floats. Values that are not finite pass; the receiver silences them.
    func decode(_ bytes: UnsafeRawBufferPointer, count: Int, into samples: UnsafeMutablePointer<Float>) {
        precondition(count * bytesPerSample <= bytes.count, "\(count) samples in \(bytes.count) bytes")
        switch self {
        case .f32:
            for index in 0..<count {
                samples[index] = Float(bitPattern: Self.word(bytes, 4 * index))
            }
        case .s32:
            for index in 0..<count {
                samples[index] = Float(Int32(bitPattern: Self.word(bytes, 4 * index))) * 0x1p-31
            }
        case .s24:
            // The highest byte is padding with any content.
            for index in 0..<count {
                samples[index] = Float(Int32(bitPattern: Self.word(bytes, 4 * index) << 8)) * 0x1p-31
            }
        case .s24packed:
            for index in 0..<count {
                let first = 3 * index
                let word = UInt32(bytes[first]) << 8 | UInt32(bytes[first + 1]) << 16 | UInt32(bytes[first + 2]) << 24
                samples[index] = Float(Int32(bitPattern: word)) * 0x1p-31
            }
        case .s16:
            for index in 0..<count {
                let word = UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self))
                samples[index] = Float(Int16(bitPattern: word)) * 0x1p-15
            }
        }
    }

    /// Converts samples for playback: n = round(x · 2^(bits − 1)), ties to even, clamped to the range; NaN becomes
    /// silence.
    /// - Parameters:
    ///   - samples: the samples to play; shape [count].
    ///   - bytes: receives the encoded samples; shape [count][bytesPerSample].
    func encode(_ samples: UnsafeBufferPointer<Float>, into bytes: UnsafeMutableRawBufferPointer) {
        precondition(samples.count * bytesPerSample <= bytes.count, "\(samples.count) samples in \(bytes.count) bytes")
        for (index, sample) in samples.enumerated() {
            let first = bytesPerSample * index
            switch self {
            case .f32:
                let held = sample.isNaN ? 0 : min(max(sample, -1), 1)
                bytes.storeBytes(of: held.bitPattern.littleEndian, toByteOffset: first, as: UInt32.self)
            case .s32:
                // Double precision, because a Float cannot represent 2³¹ − 1.
                let scaled = (Double(sample) * 0x1p31).rounded(.toNearestOrEven)
                let value = scaled.isNaN ? 0 : Int32(min(max(scaled, -0x1p31), 0x1p31 - 1))
                bytes.storeBytes(of: value.littleEndian, toByteOffset: first, as: Int32.self)
            case .s24:
                bytes.storeBytes(
                    of: (SampleConversion.int24(sample) >> 8).littleEndian, toByteOffset: first, as: Int32.self)
            case .s24packed:
                let value = UInt32(bitPattern: SampleConversion.int24(sample))
                bytes[first] = UInt8(truncatingIfNeeded: value >> 8)
                bytes[first + 1] = UInt8(truncatingIfNeeded: value >> 16)
                bytes[first + 2] = UInt8(truncatingIfNeeded: value >> 24)
            case .s16:
                bytes.storeBytes(
                    of: SampleConversion.int16(sample).littleEndian, toByteOffset: first, as: Int16.self)
            }
        }
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
