/// A stretch of the recording that is stored; the rest is not.
struct RecordedWindow {
    /// The sample numbers to keep.
    var wanted: Range<Int>
    /// The samples of it so far.
    private(set) var samples: [Float] = []

    init(_ wanted: Range<Int>) {
        self.wanted = wanted
    }

    /// Takes the samples recorded from `start` on. Calls must leave no samples out.
    mutating func append(_ block: Span<Float>, from start: Int) {
        let first = max(wanted.lowerBound, start)
        let end = min(wanted.upperBound, start + block.count)
        guard first < end else { return }
        for index in first - start..<end - start { samples.append(block[index]) }
    }
}
