import EarshotDSP

/// The latest stretch of baseband, addressed by absolute sample index, always contiguous.
///
/// A buffer with as much slack as content: when it is full its latest part moves to the front, which costs one copy of
/// every sample in the long run. Indices below zero, before the input's start, are silence.
struct BasebandHistory: ~Copyable {
    private var buffer: [ComplexSample]
    private let keptCount: Int
    /// How many of the latest samples are always there.
    var keptSampleCount: Int { keptCount }
    private var firstIndex: Int
    private var filled: Int

    /// A history that keeps at least the latest `keptCount` samples.
    init(keptCount: Int) {
        self.keptCount = keptCount
        buffer = [ComplexSample](repeating: ComplexSample(), count: 2 * keptCount)
        firstIndex = -keptCount
        filled = keptCount
    }

    /// The index behind the latest sample.
    var endIndex: Int { firstIndex + filled }

    /// Whether the stretch is still (and already) there.
    func holds(from index: Int, count: Int) -> Bool {
        index >= firstIndex && index + count <= endIndex
    }

    /// Appends x[range].
    mutating func append(_ x: [ComplexSample], _ range: Range<Int>) {
        if filled + range.count > buffer.count {
            let (dropped, keptCount) = (filled - keptCount, keptCount)
            filled = keptCount
            firstIndex += dropped
            var space = buffer.mutableSpan
            for index in 0..<keptCount {
                space[index] = space[index + dropped]
            }
        }
        let start = filled
        filled += range.count
        var space = buffer.mutableSpan
        let new = x.span.extracting(range)
        for index in new.indices {
            space[start + index] = new[index]
        }
    }

    /// The samples from `index` on. Must be held.
    borrowing func withSamples<R>(from index: Int, count: Int, _ body: (Span<ComplexSample>) -> R) -> R {
        precondition(holds(from: index, count: count), "baseband \(index) + \(count) is not in the history")
        return body(buffer.span.extracting(index - firstIndex..<index - firstIndex + count))
    }
}
