import EarshotCoding

/// The stages that work for one profile: its search and refinement, its noise, and what measures its frames.
///
/// A class, because a receiver holds a list of them, a `FrameView` refers to one, and they own buffers that must not be copied.
final class ProfileStages {
    /// Which of the receiver's profiles this is.
    let index: Int
    let format: BasebandFormat
    /// The noise of the band; the search keeps it up to date.
    var noise: BandNoise
    var energies: ToneEnergies
    var coherent: CoherentMetrics
    var track: MotionTrack
    /// Where tokens that were heard before are recognised.
    var recognition: TokenRecognition?
    /// The places where a frame may begin, as the latest call of `searchBlocks` found them, not refined.
    private(set) var candidates: [Candidate] = []

    private var search: SyncSearch
    private var refinement: CandidateRefinement
    /// Where the repeats of a burst are added up.
    private(set) var repeatSearch: RepeatSearch?

    /// Of what one call of `searchBlocks` finds only so many are kept, the best.
    private static let maximumCandidateCount = 32

    /// - Parameters:
    ///   - index: which of the receiver's profiles this is.
    ///   - repeatCount: how many repeats are combined, 1 for none.
    ///   - keptCount: how many samples of the baseband are kept.
    ///   - recognisesTokens: whether tokens that were heard before are recognised.
    init(
        _ profile: Profile, index: Int = 0, combining repeatCount: Int = 1, keptCount: Int = 0,
        recognisesTokens: Bool = false
    ) {
        let format = BasebandFormat(profile: profile)
        self.index = index
        self.format = format
        noise = BandNoise(format: format)
        energies = ToneEnergies(format: format)
        coherent = CoherentMetrics(format: format)
        track = MotionTrack(format: format)
        recognition = recognisesTokens ? TokenRecognition(format, profileIndex: index) : nil
        search = SyncSearch(format: format)
        refinement = CandidateRefinement(format: format)
        repeatSearch =
            repeatCount > 1 ? RepeatSearch(format: format, repeatCount: repeatCount, keptCount: keptCount) : nil
        candidates.reserveCapacity(4 * SyncSearch.maximumCandidateCount)
    }

    var profile: Profile { format.profile }
    /// The history's end index at which `searchBlocks` has a block to take in.
    var searchDueIndex: Int { search.dueIndex }

    /// Searches what is new in the history, block by block: for frames, and for bursts where these are wanted.
    /// - Returns: whether there was a block; then `candidates` are those it completed.
    func searchBlocks(_ history: BasebandHistory) -> Bool {
        guard history.endIndex >= searchDueIndex else { return false }
        candidates.removeAll(keepingCapacity: true)
        repeatSearch?.removeCandidates()
        while history.endIndex >= searchDueIndex {
            if let block = search.processBlock(history, &noise, into: &candidates) {
                repeatSearch?.take(search.scores, from: search.firstScore, block: block)
            }
        }
        if candidates.count > ProfileStages.maximumCandidateCount {
            candidates.sort { $0.score > $1.score }
            candidates.removeLast(candidates.count - ProfileStages.maximumCandidateCount)
        }
        return true
    }

    /// A candidate's exact place, or nil where a closer look finds less than a pattern has.
    func refine(_ candidate: Candidate, _ history: BasebandHistory) -> Candidate? {
        let refined = refinement.refine(candidate, history, noise)
        return refined.score >= format.minimumRefinedScore ? refined : nil
    }

    /// Lets the search begin again, as far before `index` as a token is long: the history has changed from there on.
    func restartSearch(from index: Int, _ history: BasebandHistory) {
        let tokenLength = FrameLayout.token.toneCount * format.samplesPerSymbol
        let affected = history.heldRange(index - tokenLength..<history.endIndex)
        search.restart(from: affected.lowerBound, &noise)
    }

    /// Moves the indices back with the history's. All that the stages have seen lately is lost, and `sampleCount` is a multiple of
    /// a search's block.
    func rewind(_ sampleCount: Int) {
        let blockCount = sampleCount / (SyncSearch.blockSymbolCount * format.samplesPerSymbol)
        search.rewind(blockCount: blockCount)
        repeatSearch?.rewind(blockCount: blockCount)
        recognition?.rewind(sampleCount)
    }
}
