/// The search of one channel for one profile, for frames and for bursts.
struct ChannelSearch: ~Copyable {
    var frames: SyncSearch
    private var sign: EarlySign
    /// Adds up the repeats of a burst; nil if repeats are not combined.
    var bursts: RepeatSearch?

    init(_ format: BasebandFormat, combining repeatCount: Int, keptCount: Int, channelCount: Int) {
        frames = SyncSearch(format: format)
        sign = EarlySign(format: format)
        bursts =
            repeatCount > 1
            ? RepeatSearch(
                format: format, repeatCount: repeatCount, keptCount: keptCount, channelCount: channelCount) : nil
    }

    /// Whether the first sync tones were heard of a frame that may be on the air at an end index of the history.
    func hasSign(endIndex: Int) -> Bool { endIndex < sign.endIndex }

    /// Processes the search's next block and its noise.
    /// - Returns: the number of the block that was scored, if any.
    mutating func takeBlock(_ history: BasebandHistory, _ noise: inout BandNoise) -> Int? {
        let scored = frames.processBlock(history, &noise)
        sign.look(frames.cells)
        guard let block = scored else { return nil }
        bursts?.take(frames.grid, block: block)
        return block
    }

    /// Moves the indices back with those of the history.
    mutating func rewind(blockCount: Int) {
        frames.rewind(blockCount: blockCount)
        sign.rewind(blockCount: blockCount)
        bursts?.rewind(blockCount: blockCount)
    }
}
