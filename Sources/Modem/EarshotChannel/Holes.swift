import EarshotBasics
import RealModule

/// The holes of a recording: ranges of samples in ascending order.
public struct Holes: Sendable, Sequence, IteratorProtocol {
    private enum Plan: Sendable {
        case listed([Range<Int>])
        case random(RandomHoles)
    }

    private var plan: Plan

    /// Creates a sequence of given holes.
    /// - Parameter ranges: in ascending order without overlap, none before 0.
    public init(_ ranges: [Range<Int>]) {
        var end = 0
        for range in ranges {
            precondition(range.lowerBound >= end, "a hole at \(range) behind one that ends at \(end)")
            end = range.upperBound
        }
        // Reversed, so that the next one is the last.
        plan = .listed(ranges.filter { !$0.isEmpty }.reversed())
    }

    /// Creates an endless sequence of random holes: intact pieces have exponentially distributed lengths, holes uniform
    /// ones.
    /// - Parameters:
    ///   - perSecond: the mean number of holes in a second of intact sound, above 0 and at most 1,000.
    ///   - lengthSeconds: the minimum and maximum length, ≥ 0; no hole is shorter than a sample.
    ///   - sampleRateHertz: the sample rate of the recording.
    ///   - seed: the seed of the random numbers.
    public init(perSecond: Double, lengthSeconds: ClosedRange<Double>, sampleRateHertz: Int, seed: UInt64) {
        precondition(perSecond > 0 && perSecond <= 1_000, "\(perSecond) holes a second")
        precondition(lengthSeconds.lowerBound >= 0, "holes of \(lengthSeconds) s")
        let rate = Double(sampleRateHertz)
        plan = .random(
            RandomHoles(
                meanGapSamples: rate / perSecond,
                lengthSamples: lengthSeconds.lowerBound * rate...lengthSeconds.upperBound * rate,
                generator: SeededGenerator(seed: seed)))
    }

    /// The next hole; nil after the last one.
    public mutating func next() -> Range<Int>? {
        switch plan {
        case .listed(var ranges):
            let range = ranges.popLast()
            plan = .listed(ranges)
            return range
        case .random(var random):
            let range = random.next()
            plan = .random(random)
            return range
        }
    }
}

/// Random holes.
private struct RandomHoles: Sendable {
    let meanGapSamples: Double
    let lengthSamples: ClosedRange<Double>
    var generator: SeededGenerator
    var end = 0.0

    mutating func next() -> Range<Int> {
        let gap = -.log(1 - Double(generator.next() >> 11) * 0x1p-53) * meanGapSamples
        // At least one intact sample between two holes, and at least one sample in a hole.
        let start = Int(end + gap) + 1
        let span = lengthSamples.upperBound - lengthSamples.lowerBound
        let length = max(1, Int((lengthSamples.lowerBound + span * Double(generator.uniform())).rounded()))
        end = Double(start + length)
        return start..<start + length
    }
}
