extension SoundSource {
    /// Fills a range of a buffer, for stages that store their input.
    /// - Returns: the number of samples filled, as from `read(into:)`.
    mutating func read(into buffer: inout [Float], at range: Range<Int>) -> Int {
        var span = buffer.mutableSpan
        var part = span._mutatingExtracting(range)
        return read(into: &part)
    }
}
