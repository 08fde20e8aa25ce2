import EarshotCoding

/// From the baseband to attempts: candidates, their exact places, their sync patterns and lengths, and the queue in which
/// attempts wait for their frames to end.
///
/// 1. `findCandidates`: `SyncSearch` and `CandidateRefinement` of each profile.
/// 2. `checkSync`, when a candidate's sync pattern and length header have arrived: `SyncCheck` and `LengthHypotheses`.
///
/// No allocation after `init`.
struct FrameSearch: ~Copyable {
    /// Attempts that wait for the samples they need.
    var queue = AttemptQueue()
    /// The starts of sync patterns within the latest masked frame: such a frame's tones form many patterns by chance,
    /// so the search accepts only clear ones there.
    private var maskedStarts = 0.0..<0.0
    /// The share of each channel in that frame.
    private var maskedShares = ChannelShares.alone(0)
    /// The number of candidates refined so far, and of those rejected after that.
    private var (refinedCount, refusedCount) = (0, 0)
    /// Candidates found so far.
    var candidateCount: Int { refinedCount + unlikelyCount }
    /// Candidates rejected by a second check of the sync pattern and of the symbols after it.
    var rejectedCount: Int { refusedCount + unlikelyCount }

    private var unlikelyCount: Int {
        var count = 0
        for profile in profileSearches.indices { count += profileSearches[profile].unlikelyCount }
        return count
    }

    /// Whether it looks for bursts.
    var findsBursts: Bool { profileSearches[0].burstCandidates != nil }

    /// Whether the first sync tones were heard of a frame that may be on the air at an end index of the history.
    func hasSign(endIndex: Int) -> Bool {
        for profile in profileSearches.indices where profileSearches[profile].hasSign(endIndex: endIndex) {
            return true
        }
        return false
    }

    /// The noise in the band of a profile.
    func noise(profileIndex: Int) -> ProfileNoise { profileSearches[profileIndex].noise }

    private var channelWeights: ChannelWeights
    private var syncCheck: SyncCheck
    /// The history's end index at which the next search has a block to process.
    private var dueIndex = 0

    /// The history's end index before which there is no work: no block to search, and no due attempt.
    var nextIndex: Int { min(dueIndex, queue.nextDue) }

    /// The search of each profile.
    private var profileSearches: OwnedList<ProfileSearch>

    /// - Parameters:
    ///   - profiles: the profiles to search for.
    ///   - repeatCount: the number of repeats that are combined, 1 for none.
    ///   - keptCount: the number of baseband samples that are kept.
    ///   - channelCount: the number of channels.
    init(profiles: [Profile], combining repeatCount: Int = 1, keptCount: Int = 0, channelCount: Int = 1) {
        profileSearches = OwnedList(count: profiles.count) {
            ProfileSearch(
                profiles[$0], combining: repeatCount, keptCount: keptCount, channelCount: channelCount)
        }
        channelWeights = ChannelWeights(profiles: profiles)
        syncCheck = SyncCheck(profiles: profiles)
    }

    /// Searches the new parts of the histories for each profile, and refines the candidates.
    /// - Parameter bursts: receives the possible starts of bursts; nil if repeats are not combined.
    /// - Returns: the work.
    mutating func findCandidates(
        _ histories: ChannelHistories, bursts: RepeatCombiner?
    ) -> DecodingWork {
        var work = DecodingWork.zero
        guard histories.endIndex >= dueIndex else { return work }
        dueIndex = .max
        for index in profileSearches.indices {
            if profileSearches[index].searchBlocks(histories) {
                for candidate in profileSearches[index].candidates {
                    refine(candidate, profileIndex: index, histories)
                    work += DecodingWork.refinement * histories.count
                }
                if let bursts, let candidates = profileSearches[index].burstCandidates {
                    bursts.insertBursts(candidates, profileSearches[index].format, profileIndex: index)
                }
            }
            dueIndex = min(dueIndex, profileSearches[index].searchDueIndex)
        }
        return work
    }

    /// Refines a candidate, unless it is likely due to chance, and queues it until its sync pattern and length header
    /// have arrived.
    private mutating func refine(_ candidate: Candidate, profileIndex: Int, _ histories: ChannelHistories) {
        refinedCount += 1
        guard candidate.dominance >= minimumDominance(candidate, SyncCheck.minimumUnrefinedDominance),
            let refined = profileSearches[profileIndex].refine(candidate, histories)
        else {
            refusedCount += 1
            return
        }
        let format = profileSearches[profileIndex].format
        queue.removeAttempts(like: refined, profileIndex: profileIndex, format)
        queue.insert(Attempt(refined, format, profileIndex: profileIndex, layout: nil))
    }

    /// Checks a candidate's sync pattern and length header, and queues attempts until the end of the frames that they
    /// announce.
    /// - Returns: the work.
    mutating func checkSync(
        _ view: FrameView, profileIndex: Int, _ measurer: inout FrameMeasurer
    ) -> DecodingWork {
        let work = DecodingWork.syncCheck * measurer.histories.count
        var candidate = view.place
        candidate.shares = channelWeights.measure(view, &measurer)
        let (dominance, announcedByteCount) = syncCheck.examine(view.at(candidate), &measurer)
        candidate.dominance = dominance
        guard dominance >= minimumDominance(candidate, SyncCheck.minimumDominance) else {
            refusedCount += 1
            return work
        }
        var token = Attempt(candidate, view.format, profileIndex: profileIndex, layout: .token)
        token.isUnread = announcedByteCount == nil && isWorthMotion(candidate)
        queue.insert(token)
        if let announcedByteCount {
            insert(candidate, view.format, profileIndex: profileIndex, byteCount: announcedByteCount)
        }
        return work
    }

    /// The minimum score of a candidate whose length header is worth reading along changing offsets. Without it noise takes 1.13 of the
    /// instructions, with it 1.00. A hand, `far`, 1 byte at −10 dB and 32 at −8: 71 and 94 %
    /// without it, 68 and 93 with 12, 55 and 85 with 14 (seed 7002).
    private static let minimumMotionScore: Float = 12

    private func isWorthMotion(_ candidate: Candidate) -> Bool {
        candidate.dominance >= SyncCheck.clearDominance && candidate.score >= FrameSearch.minimumMotionScore
    }

    /// Queues an attempt until the end of a frame of an announced length.
    mutating func insert(_ candidate: Candidate, _ format: BasebandFormat, profileIndex: Int, byteCount: Int) {
        let layout = FrameLayout(payloadByteCount: byteCount)
        queue.insert(Attempt(candidate, format, profileIndex: profileIndex, layout: layout))
    }

    /// The dominance that a candidate needs: `usual`, or more within a masked frame.
    private func minimumDominance(_ candidate: Candidate, _ usual: Float) -> Float {
        maskedStarts.contains(candidate.start) && maskedShares.isClear(candidate.shares.best)
            ? SyncCheck.clearDominance : usual
    }

    /// Records that a frame was masked, and removes the attempts that its tones may have caused.
    mutating func noteMaskedFrame(_ view: FrameView) {
        let patternLength = view.length * Double(FrameLayout.syncSpanToneCount) / Double(view.layout.toneCount)
        maskedStarts = view.place.start..<view.place.start + view.length - patternLength
        maskedShares = view.place.shares
        queue.removeAttempts(
            startingIn: maskedStarts, in: maskedShares, lessClearThan: SyncCheck.clearDominance)
    }

    /// Restarts the searches one token length before `index`, because the history changed there.
    mutating func restart(from index: Int, _ histories: ChannelHistories) {
        for profile in profileSearches.indices { profileSearches[profile].restart(from: index, histories) }
        dueIndex = 0
    }

    /// The same after a tone was removed from `index` on. Earlier samples still have the tone, so the noise is learned
    /// from `index` on.
    mutating func restart(cleanFrom index: Int, _ histories: ChannelHistories) {
        restart(from: index, histories)
        for profile in profileSearches.indices { profileSearches[profile].forgetNoise(from: index) }
    }

    /// Moves the indices back with those of the history.
    mutating func rewind(_ sampleCount: Int) {
        for profile in profileSearches.indices { profileSearches[profile].rewind(sampleCount) }
        dueIndex = 0
    }
}
