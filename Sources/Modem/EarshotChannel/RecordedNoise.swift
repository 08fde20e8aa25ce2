import EarshotBasics
import EarshotDSP
import RealModule

/// The reason why a recording cannot serve as noise.
public enum RecordedNoiseError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The recording has no samples.
    case empty
    /// The sample at this index is NaN or infinite.
    case notFinite(sample: Int)
    /// The recording has no power in the band, or so little, 120 dB below its total, that single precision cannot
    /// resolve it.
    case silentBand(hertz: ClosedRange<Double>)

    /// The reason and the remedy, one sentence without a full stop.
    public var description: String {
        switch self {
        case .empty:
            "a recording without samples cannot be played as noise; use a second or more of it"
        case .notFinite(let sample):
            "sample \(sample) of the recording is not a number; record it again, or convert it to whole numbers"
        case .silentBand(let hertz):
            """
            the recording has nothing between \(hertz.lowerBound) and \(hertz.upperBound) Hz, so no gain makes it \
            as loud as wanted there; use one that was not compressed and has a higher sample rate, or give the gain
            """
        }
    }
}

/// A recording as endless noise: it begins at a random place and repeats.
///
/// The end is cross-faded into the beginning with constant power for 20 ms, or for a quarter of the recording if that
/// is shorter; this shortens the loop by the same time. Cost: about 0.1 ns a sample.
public struct RecordedNoise: SoundSource {
    private static let fadeSeconds = 0.02

    /// The factor that multiplies the recording.
    public let gain: Float

    private let loop: [Float]
    private var position: Int

    /// Creates noise as loud in a band as white noise, on the average over the whole loop.
    ///
    /// - Parameters:
    ///   - samples: the recording, one channel.
    ///   - deviation: the standard deviation of the white noise with the same power in the band. At a sample rate that
    ///     does not carry the whole band: with the same total power.
    ///   - sampleRateHertz: the sample rate of the recording and of the noise.
    ///   - bandHertz: the band in which the powers are equal.
    ///   - seed: the seed of the starting place.
    /// - Throws: `RecordedNoiseError`, any of its cases.
    public init(
        _ samples: [Float], deviation: Float, bandHertz: ClosedRange<Double> = 18_500...20_000, sampleRateHertz: Int,
        seed: UInt64
    ) throws(RecordedNoiseError) {
        let loop = try Self.loop(of: samples, sampleRateHertz: sampleRateHertz)
        let rate = Double(sampleRateHertz)
        let band = bandHertz.upperBound > rate / 2 ? 0...rate / 2 : bandHertz
        let (inBand, total) = Self.power(
            of: loop, inCyclesPerSample: band.lowerBound / rate...band.upperBound / rate)
        guard inBand > 1e-12 * total else { throw .silentBand(hertz: band) }
        let white = Double(deviation) * Double(deviation) * (band.upperBound - band.lowerBound) / (rate / 2)
        self.init(loop: loop, gain: Float((white / inBand).squareRoot()), seed: seed)
    }

    /// Creates noise with a given gain.
    ///
    /// - Throws: `RecordedNoiseError.empty` or `.notFinite`.
    public init(_ samples: [Float], gain: Float, sampleRateHertz: Int, seed: UInt64) throws(RecordedNoiseError) {
        let loop = try Self.loop(of: samples, sampleRateHertz: sampleRateHertz)
        self.init(loop: loop, gain: gain, seed: seed)
    }

    private init(loop: [Float], gain: Float, seed: UInt64) {
        self.loop = loop
        self.gain = gain
        var generator = SeededGenerator(seed: seed)
        position = Int(generator.next() % UInt64(loop.count))
    }

    /// The same noise from another random place; shares the prepared loop.
    public func begun(seed: UInt64) -> RecordedNoise {
        RecordedNoise(loop: loop, gain: gain, seed: seed)
    }

    private static func loop(of samples: [Float], sampleRateHertz: Int) throws(RecordedNoiseError) -> [Float] {
        guard !samples.isEmpty else { throw .empty }
        if let index = samples.firstIndex(where: { !$0.isFinite }) { throw .notFinite(sample: index) }
        let fadeLength = min(Int(fadeSeconds * Double(sampleRateHertz)), samples.count / 4)
        let length = samples.count - fadeLength
        var loop = Array(samples[..<length])
        for index in 0..<fadeLength {
            let angle = Double.pi / 2 * (Double(index) + 0.5) / Double(fadeLength)
            loop[index] = samples[index] * Float(Double.sin(angle)) + samples[length + index] * Float(Double.cos(angle))
        }
        return loop
    }

    /// Fills `block` with the next samples and returns their number: the sound never ends.
    public mutating func read(into block: inout MutableSpan<Float>) -> Int {
        var index = 0
        while index < block.count {
            let count = min(block.count - index, loop.count - position)
            for offset in 0..<count {
                block[index + offset] = gain * loop[position + offset]
            }
            index += count
            position = (position + count) % loop.count
        }
        return block.count
    }

    /// The mean power within a frequency range, and the total power: by Hann windows over the loop that overlap by
    /// three quarters, so that together they weight every sample equally.
    private static func power(
        of loop: [Float], inCyclesPerSample range: ClosedRange<Double>
    ) -> (inBand: Double, total: Double) {
        let length = 16_384
        let window = hannWindow(count: length).map { Float($0) }
        let lowest = range.lowerBound * Double(length)
        let highest = range.upperBound * Double(length)
        var plan = FFTPlan(length: length)
        var inBand = 0.0
        var total = 0.0
        for start in stride(from: 0, to: loop.count, by: length / 4) {
            plan.withMutableSamples { input in
                for index in 0..<length {
                    input[index] = ComplexSample(window[index] * loop[(start + index) % loop.count], 0)
                }
            }
            plan.forward()
            plan.withSpectrum { spectrum in
                for bin in 0...length / 2 {
                    // Counts both signs of the frequency.
                    let power = (bin == 0 || bin == length / 2 ? 1 : 2) * Double(spectrum[bin].power)
                    total += power
                    // A bin is a frequency range, and the band may contain a part of it.
                    let share = min(Double(bin) + 0.5, highest) - max(Double(bin) - 0.5, lowest)
                    inBand += power * min(max(share, 0), 1)
                }
            }
        }
        // Σ over windows and samples of w² is 3/8·4 for each sample of the loop, or of those that the windows reach.
        let windowCount = (loop.count + length / 4 - 1) / (length / 4)
        let weight = Double(windowCount) * Double(length) * Double(length) * 3 / 8
        return (inBand / weight, total / weight)
    }
}
