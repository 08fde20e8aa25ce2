import EarshotCoding

/// From the baseband to attempts: candidates, their exact places, their sync patterns and lengths, and the queue in which
/// attempts wait for their frames to end.
///
/// 1. `findCandidates`: `SyncSearch` and `CandidateRefinement` of each profile.
/// 2. `checkSync`, when a candidate's sync pattern and length header are there: `SyncCheck` and `LengthHypotheses`.
///
/// No allocation after `init`.
struct FrameSearch: ~Copyable {
    /// Attempts that wait for the samples they need.
    var queue = AttemptQueue()
    /// Where a sync pattern may begin that lies within the latest masked frame: chance makes many patterns of such a frame's
    /// tones, so the search believes only clear ones there.
    private var maskedStarts = 0.0..<0.0
    /// How much each channel counts in that frame.
    private var maskedShares = ChannelShares.alone(0)
    /// Candidates found so far.
    private(set) var candidateCount = 0
    /// Candidates whose sync pattern did not stand up to a closer look.
    private(set) var rejectedCount = 0

    private var channelWeights: ChannelWeights
    private var syncCheck: SyncCheck
    /// The history's end index at which the next search has a block to take in.
    private var dueIndex = 0

    /// The history's end index before which there is nothing to do: no block to search, and no attempt is due.
    var nextIndex: Int { min(dueIndex, queue.nextDue) }

    init(profiles: [Profile]) {
        channelWeights = ChannelWeights(profiles: profiles)
        syncCheck = SyncCheck(profiles: profiles)
    }

    /// Searches what is new in the histories for each profile, and refines the candidates.
    /// - Parameter bursts: takes the places where a burst may begin; nil if repeats are not combined.
    /// - Returns: the work.
    mutating func findCandidates(
        _ histories: ChannelHistories, _ profileStages: [ProfileStages], bursts: RepeatCombiner?
    ) -> DecodingWork {
        var work = DecodingWork.zero
        guard histories.endIndex >= dueIndex else { return work }
        dueIndex = .max
        for stages in profileStages {
            if stages.searchBlocks(histories) {
                for candidate in stages.candidates {
                    refine(candidate, stages, histories)
                    work += DecodingWork.refinement * histories.count
                }
                bursts?.insertBursts(stages)
            }
            dueIndex = min(dueIndex, stages.searchDueIndex)
        }
        return work
    }

    /// Refines a candidate, unless it looks like chance, and lets it wait for its sync pattern and length header.
    private mutating func refine(_ candidate: Candidate, _ stages: ProfileStages, _ histories: ChannelHistories) {
        candidateCount += 1
        guard candidate.dominance >= minimumDominance(candidate, SyncCheck.minimumUnrefinedDominance),
            let refined = stages.refine(candidate, histories)
        else {
            rejectedCount += 1
            return
        }
        queue.removeAttempts(near: refined, profileIndex: stages.index, stages.format)
        queue.insert(Attempt(refined, stages, layout: nil))
    }

    /// Looks at a candidate's sync pattern and length header, and lets it wait for the end of the frames that they announce.
    /// - Returns: the work.
    mutating func checkSync(_ view: FrameView) -> DecodingWork {
        let work = DecodingWork.syncCheck * view.histories.count
        var candidate = view.place
        candidate.shares = channelWeights.measure(view)
        let (dominance, announcedByteCount) = syncCheck.examine(view.at(candidate))
        candidate.dominance = dominance
        guard dominance >= minimumDominance(candidate, SyncCheck.minimumDominance) else {
            rejectedCount += 1
            return work
        }
        queue.insert(Attempt(candidate, view.stages, layout: .token))
        if let announcedByteCount {
            queue.insert(Attempt(candidate, view.stages, layout: FrameLayout(payloadByteCount: announcedByteCount)))
        }
        return work
    }

    /// The dominance that a candidate needs: `usual`, or more within a masked frame.
    private func minimumDominance(_ candidate: Candidate, _ usual: Float) -> Float {
        maskedStarts.contains(candidate.start) && maskedShares.isClear(candidate.shares.best)
            ? SyncCheck.clearDominance : usual
    }

    /// Notes that a frame was masked, and removes the attempts that its tones may have made.
    mutating func noteMaskedFrame(_ view: FrameView) {
        let patternLength = view.length * Double(FrameLayout.syncToneCount) / Double(view.layout.toneCount)
        maskedStarts = view.place.start..<view.place.start + view.length - patternLength
        maskedShares = view.place.shares
        queue.removeAttempts(
            startingIn: maskedStarts, in: maskedShares, lessClearThan: SyncCheck.clearDominance)
    }

    /// Lets the searches begin again, as far before `index` as a token is long: the history has changed from there on.
    mutating func restart(from index: Int, _ histories: ChannelHistories, _ profileStages: [ProfileStages]) {
        for stages in profileStages { stages.restartSearch(from: index, histories) }
        dueIndex = 0
    }

    /// Moves the indices back with the history's.
    mutating func rewind(_ sampleCount: Int, _ profileStages: [ProfileStages]) {
        for stages in profileStages { stages.rewind(sampleCount) }
        dueIndex = 0
    }
}
