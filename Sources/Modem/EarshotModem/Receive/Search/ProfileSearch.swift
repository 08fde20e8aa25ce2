import EarshotCoding
import EarshotDSP
import RealModule

/// The search for frames of one profile in all channels: in each channel, and in their sum.
struct ProfileSearch: ~Copyable {
    let format: BasebandFormat
    /// The noise, which the search measures.
    let noise: ProfileNoise
    private var channels: OwnedList<ChannelSearch>
    /// The unrefined possible starts of frames from the latest call of `searchBlocks`.
    private(set) var candidates: [Candidate] = []

    private var refinement: CandidateRefinement
    private var waiting: WaitingCandidates
    /// The scores of all channels' sum; empty for one channel.
    private var sumGrid: ScoreGrid
    private var sum = ChannelSum()
    /// The sums of the channels' energies over noise in a candidate's sync symbols; shape [syncToneCount][M].
    private var sums: [Float]
    /// The minimum score of a candidate of the sum.
    private let minimumSumScore: Float
    /// The increase of the minimum score for each doubling of the channels, with which noise causes about as many
    /// candidates as with one channel (2·10⁶ scores of noise: 0.48 more for two channels, 1.06 for four, 1.9 for
    /// eight).
    private static let sumScorePerDoubling: Float = 0.53
    /// The minimum score of a refined candidate of several channels.
    private let minimumRefinedScore: Float
    /// The increase of the minimum score of a refined candidate for each doubling of the channels, because the shares
    /// are fitted to noise. Then as many of noise's candidates pass as with one channel, half of them, and 0.5 % of two
    /// channels' true ones are lost.
    private static let refinedScorePerDoubling: Float = 0.4

    /// The maximum number of candidates that a call of `searchBlocks` keeps, the best ones.
    private static let maximumCandidateCount = 32

    /// - Parameters:
    ///   - profile: the profile.
    ///   - repeatCount: the number of repeats that are combined, 1 for none.
    ///   - keptCount: the number of baseband samples that are kept.
    ///   - channelCount: the number of channels.
    init(_ profile: Profile, combining repeatCount: Int = 1, keptCount: Int = 0, channelCount: Int = 1) {
        let format = BasebandFormat(profile: profile)
        self.format = format
        noise = ProfileNoise(format: format, channelCount: channelCount)
        let channels = OwnedList(count: channelCount) { _ in
            ChannelSearch(format, combining: repeatCount, keptCount: keptCount, channelCount: channelCount)
        }
        var cells: [SearchCells] = []
        for channel in channels.indices { cells.append(channels[channel].frames.cells) }
        waiting = WaitingCandidates(format: format, cells: cells)
        self.channels = channels
        sums = [Float](repeating: 0, count: FrameLayout.syncToneCount * profile.toneCount)
        minimumRefinedScore =
            format.minimumIncoherentScore + ProfileSearch.refinedScorePerDoubling * .log2(Float(channelCount))
        minimumSumScore =
            format.minimumSearchScore + ProfileSearch.sumScorePerDoubling * .log2(Float(channelCount))
        refinement = CandidateRefinement(format: format, channelCount: channelCount)
        sumGrid = ScoreGrid(offsetCount: channelCount > 1 ? 2 * format.maximumOffsetHalfSpacings + 1 : 0)
        candidates.reserveCapacity(4 * (channelCount + 1) * SyncSearch.maximumCandidateCount)
    }

    /// Candidates that the search found and rejected itself; see `GridLikelihood`.
    var unlikelyCount: Int { waiting.rejectedCount }

    var profile: Profile { format.profile }
    /// The history's end index at which `searchBlocks` has a block to process.
    var searchDueIndex: Int { channels[0].frames.dueIndex }
    /// Whether a channel heard the first sync tones of a frame that may be on the air at an end index of the history.
    func hasSign(endIndex: Int) -> Bool {
        for channel in channels.indices where channels[channel].hasSign(endIndex: endIndex) { return true }
        return false
    }
    /// Adds up the repeats of a burst over all channels; nil if repeats are not combined.
    var burstCandidates: [Candidate]? { channels[0].bursts?.candidates }

    /// Searches the new blocks of the histories for frames, and for bursts if repeats are combined.
    /// - Returns: whether there was a block; then `candidates` has those that it completed.
    mutating func searchBlocks(_ histories: ChannelHistories) -> Bool {
        guard histories.endIndex >= searchDueIndex else { return false }
        candidates.removeAll(keepingCapacity: true)
        channels[0].bursts?.removeCandidates()
        while histories.endIndex >= searchDueIndex {
            searchBlock(histories)
        }
        if candidates.count > ProfileSearch.maximumCandidateCount {
            candidates.sort { $0.score > $1.score }
            candidates.removeLast(candidates.count - ProfileSearch.maximumCandidateCount)
        }
        return true
    }

    /// Searches one block: the candidates are the peaks of each channel and those of the sum over all channels.
    private mutating func searchBlock(_ histories: ChannelHistories) {
        let dueIndex = searchDueIndex
        var scored: Int?
        for channel in channels.indices {
            scored = channels[channel].takeBlock(histories[channel], &noise.channels[channel])
        }
        waiting.judge(into: &candidates)
        guard let block = scored else { return }
        let (already, span) = (candidates.count, channels[0].frames.blockSpan)
        pickPeaks(ofChannel: 0, block)
        if channels.count > 1 {
            sumGrid.moveBlock()
            sumGrid.setBlock(channels[0].frames.grid)
            for channel in 1..<channels.count where !histories.isCopy(channel, since: dueIndex - span) {
                pickPeaks(ofChannel: channel, block)
                addToSums(channel)
            }
            pickPeaksOfSum(block, histories, from: already)
        }
        waiting.holdBack(&candidates, from: already, block)
        channels[0].bursts?.pickPeaks()
    }

    /// Appends the peaks of a channel's own scores: of steady patterns, and of drifting ones at places where no steady
    /// one is better.
    private mutating func pickPeaks(ofChannel channel: Int, _ block: Int) {
        let first = candidates.count
        let (grid, driftGrid) = (channels[channel].frames.grid, channels[channel].frames.drifts.grid)
        pickPeaks(of: grid, ofChannel: channel, block)
        var keptCount = candidates.count
        pickPeaks(of: driftGrid, ofChannel: channel, block)
        for index in keptCount..<candidates.count {
            let candidate = channels[channel].frames.withDrift(candidates[index], block)
            guard candidate.isDrifting else { continue }
            candidates[keptCount] = candidate
            keptCount += 1
        }
        candidates.removeLast(candidates.count - keptCount)
        for index in first..<candidates.count {
            let dominance = dominance(candidates[index], block)
            candidates[index].dominance = dominance
            candidates[index].noiseLevels = channels[channel].frames.noiseLevels(at: candidates[index], block)
        }
    }

    private mutating func pickPeaks(of scores: borrowing ScoreGrid, ofChannel channel: Int, _ block: Int) {
        channels[channel].frames.pickPeaks(
            of: scores, block, .alone(channel), minimumScore: format.minimumSearchScore, into: &candidates)
    }

    /// Adds a channel's scores to those of the previous channels.
    private mutating func addToSums(_ channel: Int) {
        var common: Float = 0
        for earlier in 0..<channel {
            let sums = channels[channel].frames.cellSums(with: channels[earlier].frames)
            noise.coherence.add(sums, channel, earlier)
            common = max(common, noise.coherence[channel, earlier])
        }
        sumGrid.add(channels[channel].frames.grid, mean: SyncSearch.meanScore, coherence: common)
        if let other = channels[channel].bursts {
            channels[0].bursts?.add(other, coherence: common)
        }
    }

    /// Appends the peaks of the sum. If a channel has a peak at the same place, only the better of the two is kept,
    /// relative to their minimum scores: the other one is the same pattern with more noise.
    private mutating func pickPeaksOfSum(_ block: Int, _ histories: ChannelHistories, from first: Int) {
        let firstOfSum = candidates.count
        channels[0].frames.pickPeaks(
            of: sumGrid, block, .alone(0), minimumScore: minimumSumScore, into: &candidates)
        for index in firstOfSum..<candidates.count {
            let completed = completed(candidates[index], block, histories)
            candidates[index] = completed
        }
        let raised = minimumSumScore - format.minimumSearchScore
        for alone in first..<firstOfSum {
            for index in firstOfSum..<candidates.count where candidates[index].isNear(candidates[alone], format) {
                let worse = candidates[alone].score + raised >= candidates[index].score ? index : alone
                candidates[worse].score = 0
            }
        }
        var keptCount = first
        for index in first..<candidates.count where candidates[index].score > 0 {
            candidates[keptCount] = candidates[index]
            keptCount += 1
        }
        candidates.removeLast(candidates.count - keptCount)
    }

    /// A block's candidate, completed with the shares of the channels, by their own scores, and with the dominance.
    private mutating func completed(
        _ candidate: Candidate, _ block: Int, _ histories: ChannelHistories
    ) -> Candidate {
        var candidate = candidate
        var weights = SIMD8<Float>()
        for channel in channels.indices where !histories.isCopy(channel, since: Int(candidate.start)) {
            weights[channel] = max(channels[channel].frames.excess(at: candidate, block), 0)
        }
        candidate.shares = ChannelShares(weights: weights)
        candidate.dominance = dominance(candidate, block)
        candidate.noiseLevels = channels[candidate.shares.best].frames.noiseLevels(at: candidate, block)
        return candidate
    }

    /// The sum of ln(1 + x̂) over the sync tones, divided by the sum over the loudest tones of their symbols: `SyncCheck` on
    /// the search's grid.
    private mutating func dominance(_ candidate: Candidate, _ block: Int) -> Float {
        var (own, loudest) = (Float(0), Float(0))
        if !candidate.shares.isAlone { sum.prepare(candidate.shares, noise.coherence) }
        for cell in sums.indices { sums[cell] = 0 }
        for channel in channels.indices where candidate.shares.values[channel] > 0 {
            let share = candidate.shares.values[channel]
            channels[channel].frames.addRatios(at: candidate, block, share: share, to: &sums)
        }
        let toneCount = profile.toneCount
        for (symbol, syncTone) in profile.syncTones.enumerated() {
            let row = sums.span.extracting(symbol * toneCount..<(symbol + 1) * toneCount)
            var highest: Float = 0
            for tone in row.indices { highest = max(highest, row[tone]) }
            own += likelihood(row[syncTone], candidate.shares)
            loudest += likelihood(highest, candidate.shares)
        }
        return own / loudest
    }

    private func likelihood(_ ratio: Float, _ shares: ChannelShares) -> Float {
        fastLog2(1 + (shares.isAlone ? ratio : sum.equivalent(ratio))) + .leastNormalMagnitude
    }

    /// A candidate's exact place; nil if its refined score is below the minimum.
    mutating func refine(_ candidate: Candidate, _ histories: ChannelHistories) -> Candidate? {
        sum.prepare(candidate.shares, noise.coherence)
        // If the level was that of the floor, the current floor is used, which the frame itself has raised. With the
        // earlier floor more false candidates pass: tokens at 0 dB cost 50 % more.
        var inverseLevels = SIMD8<Float>(repeating: 1)
        let (levels, floor) = (candidate.noiseLevels, noise.channels[candidate.shares.best].level)
        for symbol in levels.indices where levels[symbol] != 0 { inverseLevels[symbol] = .exp2(floor - levels[symbol]) }
        let refined = refinement.refine(candidate, histories, noise, sum, inverseLevels: inverseLevels)
        return refined.score >= (candidate.shares.isAlone ? format.minimumRefinedScore : minimumRefinedScore)
            ? refined : nil
    }

    /// Restarts the search one token length before `index`, because the histories changed there.
    mutating func restart(from index: Int, _ histories: ChannelHistories) {
        let tokenLength = FrameLayout.token.toneCount * format.samplesPerSymbol
        let affected = histories.heldRange(index - tokenLength..<histories.endIndex)
        for channel in channels.indices {
            channels[channel].frames.restart(from: affected.lowerBound, &noise.channels[channel])
        }
        if channels[0].frames.cells.hasRestarted { sumGrid.clear() }
    }

    /// Lets each channel learn the noise again from `index` on; see `SyncSearch.forgetNoise`.
    mutating func forgetNoise(from index: Int) {
        for channel in channels.indices { channels[channel].frames.forgetNoise(from: index) }
    }

    /// Moves the indices back with those of the history. All recent samples of the stages are lost ones, and
    /// `sampleCount` is a multiple of a search block.
    mutating func rewind(_ sampleCount: Int) {
        let blockCount = sampleCount / (SyncSearch.blockSymbolCount * format.samplesPerSymbol)
        for channel in channels.indices { channels[channel].rewind(blockCount: blockCount) }
        waiting.removeAll()
    }
}
