import EarshotDSP

/// The latest stretch of baseband, addressed by absolute sample index, always contiguous.
///
/// A buffer with as much slack as content: when it is full its latest part moves to the front, which costs one copy of
/// every sample in the long run. Indices below zero, before the input's start, are silence.
///
/// Samples can be lost: they read as zero, and whoever measures a window asks how much of it is held. Where that is a share
/// h, noise has h times its energy in a whole window and a tone h².
final class BasebandHistory {
    private var buffer: [ComplexSample]
    private let keptCount: Int
    /// How many of the latest samples are always there.
    var keptSampleCount: Int { keptCount }
    private var firstIndex: Int
    private var filled: Int
    private var isLost: [Bool]
    /// Whether any of `isLost` may be set.
    private var hasLost = false
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

    /// The first index that is held.
    var firstHeldIndex: Int { firstIndex }

    /// Whether the stretch is still (and already) there.
    func holds(from index: Int, count: Int) -> Bool {
        index >= firstIndex && index + count <= endIndex
    }

    /// How many samples the history ends with that were lost.
    var lostTailCount: Int { lostEndIndex == endIndex ? endIndex - lostStartIndex : 0 }

    /// Whether all samples from `index` on, and there are some, were lost.
    func isLost(from index: Int) -> Bool { index < endIndex && lostTailCount >= endIndex - index }

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

    /// The part of a range of indices that is held; empty, at its start, where nothing is.
    func heldRange(_ range: Range<Int>) -> Range<Int> {
        range.clamped(to: firstIndex..<endIndex)
    }

    /// Whether the sample of that index was lost. Must be held.
    func isLost(_ index: Int) -> Bool { index < lostEndIndex && isLost[index - firstIndex] }

    /// Takes z away from the samples of `range`, which must be held; z begins at index `first`.
    func subtract(_ z: [ComplexSample], from first: Int, _ range: Range<Int>) {
        change(from: range.lowerBound, count: range.count) { samples in
            let terms = z.span
            for index in samples.indices {
                samples[index] -= terms[range.lowerBound - first + index]
            }
        }
    }

    /// Appends `count` samples that were lost.
    func appendLost(_ count: Int) {
        guard count > 0 else { return }
        makeRoom(count)
        if lostEndIndex != endIndex {
            lostStartIndex = endIndex
        }
        for index in filled..<filled + count {
            buffer[index] = ComplexSample()
            isLost[index] = true
        }
        hasLost = true
        filled += count
        lostEndIndex = endIndex
    }

    /// Masks those samples of the range that are held; the latest is not lost.
    func mask(_ range: Range<Int>) {
        let range = range.clamped(to: firstIndex..<endIndex - 1)
        for index in range {
            buffer[index - firstIndex] = ComplexSample()
            isLost[index - firstIndex] = true
        }
        hasLost = hasLost || !range.isEmpty
        lostEndIndex = max(lostEndIndex, range.upperBound)
    }

    /// Moves the indices back, as if `count` of the lost samples at the end had not been there.
    func rewind(_ count: Int) {
        precondition(
            lostTailCount >= count + keptCount, "\(lostTailCount) samples lost, not \(count) and all that is kept")
        firstIndex -= count
        lostEndIndex -= count
    }

    /// Moves the latest part to the front where `count` more samples would not fit.
    private func makeRoom(_ count: Int) {
        guard filled + count > buffer.count else { return }
        let (dropped, keptCount) = (filled - keptCount, keptCount)
        filled = keptCount
        firstIndex += dropped
        buffer.withUnsafeMutableBufferPointer { space in
            space.baseAddress!.update(from: space.baseAddress! + dropped, count: keptCount)
        }
        guard hasLost else { return }
        for index in isLost.indices {
            isLost[index] = index < keptCount && isLost[index + dropped]
        }
        hasLost = lostEndIndex > firstIndex
    }

    /// Appends x[range].
    func append(_ x: [ComplexSample], _ range: Range<Int>) {
        makeRoom(range.count)
        let start = filled
        filled += range.count
        buffer.withUnsafeMutableBufferPointer { space in
            x.span.extracting(range).withUnsafeBufferPointer { new in
                guard let source = new.baseAddress else { return }
                space.baseAddress!.advanced(by: start).update(from: source, count: new.count)
            }
        }
    }

    /// Lets `body` change the samples from `index` on, but not those that were lost. Must be held.
    func change(from index: Int, count: Int, _ body: (inout MutableSpan<ComplexSample>) -> Void) {
        precondition(holds(from: index, count: count), "baseband \(index) + \(count) is not in the history")
        let first = index - firstIndex
        buffer.withUnsafeMutableBufferPointer { space in
            var samples = UnsafeMutableBufferPointer(rebasing: space[first..<first + count]).mutableSpan
            body(&samples)
        }
        guard index < lostEndIndex else { return }
        for place in first..<first + count where isLost[place] {
            buffer[place] = ComplexSample()
        }
    }

    /// Makes the samples of `range` those of a transform, with zeros for what is not held and behind the range.
    func load(_ range: Range<Int>, into plan: inout FFTPlan) {
        let held = heldRange(range)
        let first = range.lowerBound - held.lowerBound
        withSamples(from: held.lowerBound, count: held.count) { plan.load($0, first..<first + range.count) }
    }

    /// Copies the samples of `range` to the first elements of y, with zeros for what is not held.
    func copy(_ range: Range<Int>, into y: inout [ComplexSample]) {
        let held = heldRange(range)
        var all = y.mutableSpan
        var window = all._mutatingExtracting(0..<range.count)
        withSamples(from: held.lowerBound, count: held.count) {
            copyZeroPadded($0, from: range.lowerBound - held.lowerBound, into: &window)
        }
    }

    /// The samples from `index` on. Must be held.
    func withSamples<R>(from index: Int, count: Int, _ body: (Span<ComplexSample>) -> R) -> R {
        precondition(holds(from: index, count: count), "baseband \(index) + \(count) is not in the history")
        let samples = buffer
        return body(samples.span.extracting(index - firstIndex..<index - firstIndex + count))
    }
}
