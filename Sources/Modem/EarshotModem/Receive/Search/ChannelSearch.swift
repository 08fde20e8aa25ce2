/// The search of one channel for one profile, for frames and for bursts.
struct ChannelSearch: ~Copyable {
    var frames: SyncSearch
    /// Adds up the repeats of a burst; nil if repeats are not combined.
    var bursts: RepeatSearch?

    init(_ format: BasebandFormat, combining repeatCount: Int, keptCount: Int, channelCount: Int) {
        frames = SyncSearch(format: format)
        bursts =
            repeatCount > 1
            ? RepeatSearch(
                format: format, repeatCount: repeatCount, keptCount: keptCount, channelCount: channelCount) : nil
    }

    /// Takes in the search's next block, and its noise.
    /// - Returns: the number of the block that was scored, if any.
    mutating func takeBlock(_ history: BasebandHistory, _ noise: inout BandNoise) -> Int? {
        guard let block = frames.processBlock(history, &noise) else { return nil }
        bursts?.take(frames.grid, block: block)
        return block
    }

    /// Moves the indices back with the history's.
    mutating func rewind(blockCount: Int) {
        frames.rewind(blockCount: blockCount)
        bursts?.rewind(blockCount: blockCount)
    }
}
