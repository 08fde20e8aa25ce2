import EarshotDSP

/// The latest baseband samples, addressed by absolute sample index and always contiguous.
///
/// The buffer is twice as long as its content: when it is full, its latest part moves to the front, so on average every
/// sample is copied once. Indices below zero, before the input's start, are silence.
///
/// Samples can be lost: they read as zero, and a stage that measures a window can get the share that was not lost. With
/// a share h, noise has h times its energy in a whole window, and a tone h² times.
///
/// A class, because a `FrameView` refers to it. It owns its memory, because an array's reference count, once a symbol,
/// took 7 % of the time of listening to noise.
final class BasebandHistory {
    /// The minimum number of the latest samples that are kept.
    let keptSampleCount: Int
    /// The index after the latest lost sample.
    private(set) var lostEndIndex: Int

    private let buffer: UnsafeMutableBufferPointer<ComplexSample>
    private var firstIndex: Int
    private var filled: Int
    private let isLost: UnsafeMutableBufferPointer<Bool>
    /// Whether any element of `isLost` may be set.
    private var hasLost = false
    /// The first of the latest lost samples without a gap among them.
    private var lostStartIndex: Int

    /// A history that keeps at least the latest `keptCount` samples.
    init(keptCount: Int) {
        keptSampleCount = keptCount
        buffer = .allocate(capacity: 2 * keptCount)
        buffer.initialize(repeating: ComplexSample())
        firstIndex = -keptCount
        filled = keptCount
        isLost = .allocate(capacity: 2 * keptCount)
        isLost.initialize(repeating: false)
        lostEndIndex = firstIndex
        lostStartIndex = firstIndex
    }

    deinit {
        buffer.deallocate()
        isLost.deallocate()
    }

    // MARK: Content

    /// The index after the latest sample.
    var endIndex: Int { firstIndex + filled }

    /// The first index that is held.
    var firstHeldIndex: Int { firstIndex }

    /// Whether the history contains the whole stretch.
    func holds(from index: Int, count: Int) -> Bool {
        index >= firstIndex && index + count <= endIndex
    }

    /// The part of a range of indices that is held; if none is, an empty range at its start.
    func heldRange(_ range: Range<Int>) -> Range<Int> {
        range.clamped(to: firstIndex..<endIndex)
    }

    /// The number of lost samples at the end of the history.
    var lostTailCount: Int { lostEndIndex == endIndex ? endIndex - lostStartIndex : 0 }

    /// Whether there are samples from `index` on and all of them were lost.
    func isLost(from index: Int) -> Bool { index < endIndex && lostTailCount >= endIndex - index }

    /// Whether the sample at `index`, which must be held, was lost.
    func isLost(_ index: Int) -> Bool { index < lostEndIndex && isLost[index - firstIndex] }

    /// h: the share of the samples from `index` on that were not lost, 0 ... 1. They must be held.
    func heldShare(from index: Int, count: Int) -> Float {
        guard index < lostEndIndex else { return 1 }
        precondition(holds(from: index, count: count), "baseband \(index) + \(count) is not in the history")
        var lostCount = 0
        for place in index - firstIndex..<index - firstIndex + count where isLost[place] {
            lostCount += 1
        }
        return Float(count - lostCount) / Float(count)
    }

    // MARK: Reading

    /// Lets `body` read the samples from `index` on, which must be held.
    func withSamples<R>(from index: Int, count: Int, _ body: (Span<ComplexSample>) -> R) -> R {
        precondition(holds(from: index, count: count), "baseband \(index) + \(count) is not in the history")
        let samples = buffer
        return body(samples.span.extracting(index - firstIndex..<index - firstIndex + count))
    }

    /// Copies the samples of `range` into a transform. Samples that are not held, and the rest of the transform, become
    /// zero.
    func load(_ range: Range<Int>, into plan: inout FFTPlan) {
        let held = heldRange(range)
        let first = range.lowerBound - held.lowerBound
        withSamples(from: held.lowerBound, count: held.count) { plan.load($0, first..<first + range.count) }
    }

    /// Copies the samples of `range` to the first elements of y. Samples that are not held are zero.
    func copy(_ range: Range<Int>, into y: inout [ComplexSample]) {
        let held = heldRange(range)
        var all = y.mutableSpan
        var window = all._mutatingExtracting(0..<range.count)
        withSamples(from: held.lowerBound, count: held.count) {
            copyZeroPadded($0, from: range.lowerBound - held.lowerBound, into: &window)
        }
    }

    // MARK: Appending

    /// Appends x[range].
    func append(_ x: [ComplexSample], _ range: Range<Int>) {
        makeRoom(range.count)
        x.span.extracting(range).withUnsafeBufferPointer { new in
            guard let source = new.baseAddress else { return }
            (buffer.baseAddress! + filled).update(from: source, count: new.count)
        }
        filled += range.count
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

    /// Moves the indices back, as if `count` of the lost samples at the end did not exist.
    func rewind(_ count: Int) {
        precondition(
            lostTailCount >= count + keptSampleCount, "\(lostTailCount) samples lost, not \(count) and all that is kept"
        )
        firstIndex -= count
        lostEndIndex -= count
    }

    /// Moves the latest part to the front if `count` more samples would not fit.
    private func makeRoom(_ count: Int) {
        guard filled + count > buffer.count else { return }
        let dropped = filled - keptSampleCount
        filled = keptSampleCount
        firstIndex += dropped
        buffer.baseAddress!.update(from: buffer.baseAddress! + dropped, count: keptSampleCount)
        guard hasLost else { return }
        for index in isLost.indices {
            isLost[index] = index < keptSampleCount && isLost[index + dropped]
        }
        hasLost = lostEndIndex > firstIndex
    }

    // MARK: Changing

    /// Lets `body` change the samples from `index` on, which must be held. Lost samples stay zero.
    func change(from index: Int, count: Int, _ body: (inout MutableSpan<ComplexSample>) -> Void) {
        precondition(holds(from: index, count: count), "baseband \(index) + \(count) is not in the history")
        let first = index - firstIndex
        let part = UnsafeMutableBufferPointer(rebasing: buffer[first..<first + count])
        var samples = part.mutableSpan
        body(&samples)
        guard index < lostEndIndex else { return }
        for place in first..<first + count where isLost[place] {
            buffer[place] = ComplexSample()
        }
    }

    /// Subtracts z, which begins at index `first`, from the samples of `range`, which must be held. Lost samples stay zero.
    func subtract(_ z: [ComplexSample], from first: Int, _ range: Range<Int>) {
        change(from: range.lowerBound, count: range.count) { samples in
            let terms = z.span
            for index in samples.indices {
                samples[index] -= terms[range.lowerBound - first + index]
            }
        }
    }

    /// Masks the held samples of the range: they then count as lost. The latest sample is never masked.
    func mask(_ range: Range<Int>) {
        let range = range.clamped(to: firstIndex..<endIndex - 1)
        for index in range {
            buffer[index - firstIndex] = ComplexSample()
            isLost[index - firstIndex] = true
        }
        hasLost = hasLost || !range.isEmpty
        lostEndIndex = max(lostEndIndex, range.upperBound)
    }
}
