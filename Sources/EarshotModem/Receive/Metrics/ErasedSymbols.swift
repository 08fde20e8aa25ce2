import EarshotCoding

/// Which symbols of a frame were lost.
struct ErasedSymbols {
    private var words = InlineArray<3, UInt64>(repeating: 0)
    /// Symbols beyond the longest frame and its echo are never asked for.
    static let capacity = 3 * 64

    /// Whether the symbol is one of them.
    func contains(_ symbol: Int) -> Bool {
        words[symbol >> 6] & 1 << UInt64(symbol & 63) != 0
    }

    /// Adds a symbol.
    mutating func insert(_ symbol: Int) {
        words[symbol >> 6] |= 1 << UInt64(symbol & 63)
    }

    /// How many symbols of the range are not in the set.
    func heldCount(_ range: Range<Int>) -> Int {
        range.count { !contains($0) }
    }
}
