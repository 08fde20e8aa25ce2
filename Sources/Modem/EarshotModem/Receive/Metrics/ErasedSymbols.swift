import EarshotCoding

/// The symbols of a frame that were lost.
struct ErasedSymbols {
    private var words = InlineArray<3, UInt64>(repeating: 0)
    /// The maximum symbol number plus one: more symbols than in the longest frame and its echo.
    static let capacity = 3 * 64

    /// Whether the symbol was lost.
    func contains(_ symbol: Int) -> Bool {
        words[symbol >> 6] & 1 << UInt64(symbol & 63) != 0
    }

    /// Adds a symbol.
    mutating func insert(_ symbol: Int) {
        words[symbol >> 6] |= 1 << UInt64(symbol & 63)
    }

    /// The number of symbols in the range that were not lost.
    func heldCount(_ range: Range<Int>) -> Int {
        range.count { !contains($0) }
    }

    /// The number of sync symbols that were not lost.
    var heldSyncCount: Int {
        (0..<FrameLayout.syncToneCount).count { !contains(FrameLayout.syncPlace($0)) }
    }

    /// The number of data symbols of a frame that were not lost.
    func heldDataCount(_ layout: FrameLayout) -> Int {
        (0..<layout.dataToneCount).count { !contains(layout.dataPlace($0)) }
    }
}
