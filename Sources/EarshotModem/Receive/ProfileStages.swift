import EarshotCoding

/// The stages that work for one profile: its search and refinement, its noise, and the measurement of its frames.
///
/// A class, because a receiver holds a list of them and a `FrameView` refers to one, and they own buffers that must not be
/// copied.
final class ProfileStages {
    /// The index of the profile among the receiver's.
    let index: Int
    let format: BasebandFormat
    /// The noise of the band, which the search updates.
    var noise: BandNoise
    var energies: ToneEnergies
    var coherent: CoherentMetrics
    var track: MotionTrack
    /// Recognises tokens that were decoded before; nil without the opt-in.
    var recognition: TokenRecognition?
    /// The places at which a frame may begin, found by the latest call of `searchBlocks` and not refined.
    private(set) var candidates: [Candidate] = []

    private var search: SyncSearch
    private var refinement: CandidateRefinement
    /// Adds up the repeats of a burst; nil if repeats are not combined.
    private(set) var repeatSearch: RepeatSearch?

    /// A call of `searchBlocks` keeps this many of its candidates, the best.
    private static let maximumCandidateCount = 32

    /// - Parameters:
    ///   - profile: the profile.
    ///   - index: its index among the receiver's profiles.
    ///   - repeatCount: how many repeats are combined, 1 for none.
    ///   - keptCount: how many samples of the baseband are kept.
    ///   - recognisesTokens: whether tokens that were decoded before are recognised.
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

    /// Searches the new blocks of the history for frames, and for bursts if repeats are combined.
    /// - Returns: whether there was a block; then `candidates` are those that it completed.
    func searchBlocks(_ history: BasebandHistory) -> Bool {
        guard history.endIndex >= searchDueIndex else { return false }
        candidates.removeAll(keepingCapacity: true)
        repeatSearch?.removeCandidates()
        while history.endIndex >= searchDueIndex {
            if let block = search.processBlock(history, &noise, into: &candidates) {
                repeatSearch?.take(search.grid, block: block)
            }
        }
        if candidates.count > ProfileStages.maximumCandidateCount {
            candidates.sort { $0.score > $1.score }
            candidates.removeLast(candidates.count - ProfileStages.maximumCandidateCount)
        }
        return true
    }

    /// A candidate's exact place; nil if a closer look finds less than a pattern has.
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

    /// Moves the indices back with the history's. All samples that the stages have seen lately are lost, and `sampleCount` is
    /// a multiple of a search block.
    func rewind(_ sampleCount: Int) {
        let blockCount = sampleCount / (SyncSearch.blockSymbolCount * format.samplesPerSymbol)
        search.rewind(blockCount: blockCount)
        repeatSearch?.rewind(blockCount: blockCount)
        recognition?.rewind(sampleCount)
    }
}
