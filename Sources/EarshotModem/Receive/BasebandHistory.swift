import EarshotDSP

/// The latest stretch of baseband, addressed by absolute sample index, always contiguous.
///
/// A buffer with as much slack as content: when it is full its latest part moves to the front, which costs one copy of
/// every sample in the long run. Indices below zero, before the input's start, are silence.
///
/// Samples can be lost: they read as zero, and whoever measures a window asks how much of it is held. Where that is a share
/// h, noise has h times its energy in a whole window and a tone h².
struct BasebandHistory: ~Copyable {
    private var buffer: [ComplexSample]
    private let keptCount: Int
    /// How many of the latest samples are always there.
    var keptSampleCount: Int { keptCount }
    private var firstIndex: Int
    private var filled: Int
    private var isLost: [Bool]
    /// The index behind the latest lost sample.
    private(set) var lostEndIndex: Int
    /// The first of the latest lost samples without a gap among them.
    private var lostStartIndex: Int

    /// A history that keeps at least the latest `keptCount` samples.
    init(keptCount: Int) {
        self.keptCount = keptCount
        buffer = [ComplexSample](repeating: ComplexSample(), count: 2 * keptCount)
        firstIndex = -keptCount
        filled = keptCount
        isLost = [Bool](repeating: false, count: 2 * keptCount)
        lostEndIndex = firstIndex
        lostStartIndex = firstIndex
    }

    /// The index behind the latest sample.
    var endIndex: Int { firstIndex + filled }

    /// Whether the stretch is still (and already) there.
    func holds(from index: Int, count: Int) -> Bool {
        index >= firstIndex && index + count <= endIndex
    }

    /// How many samples the history ends with that were lost.
    var lostTailCount: Int { lostEndIndex == endIndex ? endIndex - lostStartIndex : 0 }

    /// h: the share of the samples from `index` on that were not lost. Must be held.
    func heldShare(from index: Int, count: Int) -> Float {
        guard index < lostEndIndex else { return 1 }
        precondition(holds(from: index, count: count), "baseband \(index) + \(count) is not in the history")
        var lostCount = 0
        for place in index - firstIndex..<index - firstIndex + count where isLost[place] {
            lostCount += 1
        }
        return Float(count - lostCount) / Float(count)
    }

    /// Appends `count` samples that were lost.
    mutating func appendLost(_ count: Int) {
        guard count > 0 else { return }
        makeRoom(count)
        if lostEndIndex != endIndex {
            lostStartIndex = endIndex
        }
        for index in filled..<filled + count {
            buffer[index] = ComplexSample()
            isLost[index] = true
        }
        filled += count
        lostEndIndex = endIndex
    }

    /// Moves the indices back, as if `count` of the lost samples at the end had not been there.
    mutating func rewind(_ count: Int) {
        precondition(
            lostTailCount >= count + keptCount, "\(lostTailCount) samples lost, not \(count) and all that is kept")
        firstIndex -= count
        lostEndIndex -= count
    }

    /// Moves the latest part to the front where `count` more samples would not fit.
    private mutating func makeRoom(_ count: Int) {
        guard filled + count > buffer.count else { return }
        let (dropped, keptCount) = (filled - keptCount, keptCount)
        filled = keptCount
        firstIndex += dropped
        var space = buffer.mutableSpan
        for index in 0..<keptCount {
            space[index] = space[index + dropped]
        }
        for index in isLost.indices {
            isLost[index] = index < keptCount && isLost[index + dropped]
        }
    }

    /// Appends x[range].
    mutating func append(_ x: [ComplexSample], _ range: Range<Int>) {
        makeRoom(range.count)
        let start = filled
        filled += range.count
        var space = buffer.mutableSpan
        let new = x.span.extracting(range)
        for index in new.indices {
            space[start + index] = new[index]
        }
    }

    /// Lets `body` change the samples from `index` on. Must be held.
    mutating func change(from index: Int, count: Int, _ body: (inout MutableSpan<ComplexSample>) -> Void) {
        precondition(holds(from: index, count: count), "baseband \(index) + \(count) is not in the history")
        let first = index - firstIndex
        var space = buffer.mutableSpan
        var samples = space._mutatingExtracting(first..<first + count)
        body(&samples)
    }

    /// The samples from `index` on. Must be held.
    borrowing func withSamples<R>(from index: Int, count: Int, _ body: (Span<ComplexSample>) -> R) -> R {
        precondition(holds(from: index, count: count), "baseband \(index) + \(count) is not in the history")
        return body(buffer.span.extracting(index - firstIndex..<index - firstIndex + count))
    }
}
