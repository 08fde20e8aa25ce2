/// A stretch of what was recorded, kept while the rest goes by.
struct RecordedWindow {
    /// What is to be kept: sample numbers.
    var wanted: Range<Int>
    /// What there is of it so far.
    private(set) var samples: [Float] = []

    init(_ wanted: Range<Int>) {
        self.wanted = wanted
    }

    /// Takes the samples that were recorded from `start` on; nothing may be left out between calls.
    mutating func append(_ block: Span<Float>, from start: Int) {
        let first = max(wanted.lowerBound, start)
        let end = min(wanted.upperBound, start + block.count)
        guard first < end else { return }
        for index in first - start..<end - start { samples.append(block[index]) }
    }
}
