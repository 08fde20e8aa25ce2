/// The stages that search one channel for one profile, and its noise.
///
/// A class, because `ProfileStages` holds a list of them and they own buffers that must not be copied. One thread uses a receiver,
/// and no method of a stage calls back into its owner, so the run time need not check accesses: these checks, here and in the
/// receive path's other classes, took 7 % of the instructions of listening to noise.
final class ChannelStages {
    /// The noise of the band, which the search updates.
    @exclusivity(unchecked) var noise: BandNoise
    @exclusivity(unchecked) var search: SyncSearch
    /// Adds up the repeats of a burst; nil if repeats are not combined.
    @exclusivity(unchecked) var repeatSearch: RepeatSearch?

    init(_ format: BasebandFormat, combining repeatCount: Int, keptCount: Int, channelCount: Int) {
        noise = BandNoise(format: format)
        search = SyncSearch(format: format)
        repeatSearch =
            repeatCount > 1
            ? RepeatSearch(
                format: format, repeatCount: repeatCount, keptCount: keptCount, channelCount: channelCount) : nil
    }

    /// Takes in the search's next block.
    /// - Returns: the number of the block that was scored, if any.
    func takeBlock(_ history: BasebandHistory) -> Int? {
        guard let block = search.processBlock(history, &noise) else { return nil }
        repeatSearch?.take(search.grid, block: block)
        return block
    }

    /// Lets the search begin again from a sample on.
    func restartSearch(from index: Int) {
        search.restart(from: index, &noise)
    }

    /// Moves the indices back with the history's.
    func rewind(blockCount: Int) {
        search.rewind(blockCount: blockCount)
        repeatSearch?.rewind(blockCount: blockCount)
    }
}
