public import CEarshot
import EarshotCoding
import EarshotModem

/// The number of samples of a payload; see earshot.h, which documents all of these functions.
@c @implementation
public func earshot_transmit_sample_count(
    _ transmission: UnsafePointer<earshot_transmission>?, _ payload_size: Int,
    _ sample_count: UnsafeMutablePointer<Int>?
) -> earshot_status {
    status { () throws(ArgumentError) in
        let sampleCount = try sample_count.checked()
        sampleCount.pointee = 0
        sampleCount.pointee = try Transmission(transmission, payloadSize: payload_size).sampleCount
    }
}

/// Writes the samples of a payload, full scale 1.
@c @implementation
public func earshot_transmit_float(
    _ transmission: UnsafePointer<earshot_transmission>?, _ payload: UnsafePointer<UInt8>?, _ payload_size: Int,
    _ samples: UnsafeMutablePointer<Float>?, _ capacity: Int, _ sample_count: UnsafeMutablePointer<Int>?
) -> earshot_status {
    transmit(transmission, payload, payload_size, samples, capacity, sample_count) { $0 }
}

/// Writes the samples of a payload as integers, full scale 2¹⁵.
@c @implementation
public func earshot_transmit_int16(
    _ transmission: UnsafePointer<earshot_transmission>?, _ payload: UnsafePointer<UInt8>?, _ payload_size: Int,
    _ samples: UnsafeMutablePointer<Int16>?, _ capacity: Int, _ sample_count: UnsafeMutablePointer<Int>?
) -> earshot_status {
    // n = round(x · 2¹⁵), ties to even, as in the files of `earshot encode`.
    transmit(transmission, payload, payload_size, samples, capacity, sample_count) { sample in
        Int16(min((sample * 0x1p15).rounded(.toNearestOrEven), 32_767))
    }
}

/// Writes the samples of a payload.
/// - Parameter convert: converts a sample of at most ±1 to the caller's type.
private func transmit<Sample>(
    _ transmission: UnsafePointer<earshot_transmission>?, _ payload: UnsafePointer<UInt8>?, _ payloadSize: Int,
    _ samples: UnsafeMutablePointer<Sample>?, _ capacity: Int, _ sampleCount: UnsafeMutablePointer<Int>?,
    _ convert: (Float) -> Sample
) -> earshot_status {
    status { () throws(ArgumentError) in
        let sampleCount = sampleCount == nil ? nil : try sampleCount.checked()
        sampleCount?.pointee = 0
        let transmission = try Transmission(transmission, payloadSize: payloadSize)
        let bytes = UnsafeBufferPointer(start: try payload.checked(), count: payloadSize)
        let samples = try samples.checked()
        guard UInt(bitPattern: capacity) >= UInt(transmission.sampleCount) else {
            sampleCount?.pointee = transmission.sampleCount
            throw ArgumentError(EARSHOT_ERROR_CAPACITY)
        }
        let made = try transmission.samples(bytes)
        for (index, sample) in made.enumerated() {
            samples[index] = convert(sample)
        }
        sampleCount?.pointee = made.count
    }
}

/// A checked `earshot_transmission` for a payload of a checked size.
private struct Transmission {
    /// The peak if the caller names none: −12 dBFS, as in the command line.
    private static let defaultAmplitude: Float = 0.25

    private let transmitter: Transmitter
    private let payloadSize: Int
    private let burstCount: Int
    private let amplitude: Float

    init(_ transmission: UnsafePointer<earshot_transmission>?, payloadSize: Int) throws(ArgumentError) {
        let fields = try transmission.checked().sized()
        let rate = try checkedRate(fields.sample_rate_hertz)
        let profiles = try Profile.masked(fields.profile == 0 ? UInt32(EARSHOT_STANDARD) : fields.profile)
        guard profiles.count == 1 else { throw ArgumentError(EARSHOT_ERROR_PROFILE) }
        guard Payload.validCounts.contains(payloadSize) else { throw ArgumentError(EARSHOT_ERROR_PAYLOAD) }
        burstCount = try checkedBurstCount(fields.burst_count)
        guard burstCount == 1 || payloadSize == Payload.tokenCount else { throw ArgumentError(EARSHOT_ERROR_BURST) }
        guard fields.amplitude >= 0, fields.amplitude <= 1 else { throw ArgumentError(EARSHOT_ERROR_AMPLITUDE) }
        amplitude = fields.amplitude == 0 ? Self.defaultAmplitude : fields.amplitude
        self.payloadSize = payloadSize
        do throws(ModemError) {
            transmitter = try Transmitter(profile: profiles[0], sampleRateHertz: rate)
        } catch {
            throw ArgumentError(EARSHOT_ERROR_RATE)
        }
    }

    /// The samples of the frame, or of the burst.
    var sampleCount: Int {
        burstCount > 1
            ? transmitter.burstSampleCount(frameCount: burstCount)
            : transmitter.sampleCount(payloadByteCount: payloadSize)
    }

    /// - Returns: shape [sampleCount].
    func samples(_ bytes: UnsafeBufferPointer<UInt8>) throws(ArgumentError) -> [Float] {
        guard let payload = try? Payload(bytes) else { throw ArgumentError(EARSHOT_ERROR_PAYLOAD) }
        guard burstCount > 1 else { return transmitter.samples(payload, amplitude: amplitude) }
        do throws(ModemError) {
            return try transmitter.burst(payload, frameCount: burstCount, amplitude: amplitude)
        } catch {
            throw ArgumentError(EARSHOT_ERROR_BURST)
        }
    }
}
