import RealModule

/// Where a recording has holes: ranges of samples, one behind the other.
public struct Holes: Sendable, Sequence, IteratorProtocol {
    private enum Plan: Sendable {
        case listed([Range<Int>])
        case random(RandomHoles)
    }

    private var plan: Plan

    /// Given ones.
    /// - Parameter ranges: none begins before 0 or before the end of the one in front.
    public init(_ ranges: [Range<Int>]) {
        var end = 0
        for range in ranges {
            precondition(range.lowerBound >= end, "a hole at \(range) behind one that ends at \(end)")
            end = range.upperBound
        }
        // Next ones last.
        plan = .listed(ranges.filter { !$0.isEmpty }.reversed())
    }

    /// Random ones without an end: what is whole between two is exponentially distributed, lengths are uniform.
    /// - Parameters:
    ///   - perSecond: holes in a second of what is whole, on the average; above 0 and at most 1,000.
    ///   - lengthSeconds: the shortest and the longest; none is shorter than a sample.
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

    /// The next one.
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

/// Holes by chance.
private struct RandomHoles: Sendable {
    let meanGapSamples: Double
    let lengthSamples: ClosedRange<Double>
    var generator: SeededGenerator
    var end = 0.0

    mutating func next() -> Range<Int> {
        let gap = -.log(1 - Double(generator.next() >> 11) * 0x1p-53) * meanGapSamples
        // A sample at least between two, and as much of one.
        let start = Int(end + gap) + 1
        let span = lengthSamples.upperBound - lengthSamples.lowerBound
        let length = max(1, Int((lengthSamples.lowerBound + span * Double(generator.uniform())).rounded()))
        end = Double(start + length)
        return start..<start + length
    }
}
