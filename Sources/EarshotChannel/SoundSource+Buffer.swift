extension SoundSource {
    /// Fills a part of a buffer; for stages that keep what they have read.
    /// - Returns: how many samples were filled, as from `read(into:)`.
    mutating func read(into buffer: inout [Float], at range: Range<Int>) -> Int {
        var span = buffer.mutableSpan
        var part = span._mutatingExtracting(range)
        return read(into: &part)
    }
}
