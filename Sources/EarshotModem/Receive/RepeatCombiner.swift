import EarshotCoding

/// What a receiver that combines repeats keeps besides: the bursts that may be on the air, and their decoder.
final class RepeatCombiner {
    /// R: how many frames are read together.
    let repeatCount: Int
    private var queue = AttemptQueue()
    private var decoder: RepeatDecoder

    init(profiles: [Profile], repeatCount: Int) {
        precondition(FrameLayout.burstCounts.contains(repeatCount), "\(repeatCount) repeats to combine")
        self.repeatCount = repeatCount
        decoder = RepeatDecoder(profiles: profiles, repeatCount: repeatCount)
    }

    /// How many symbols R repeats and the echo behind them last.
    static func symbolCount(repeatCount: Int) -> Int {
        (repeatCount - 1) * RepeatSearch.spacingSymbolCount + FrameLayout.token.toneCount
            + ToneMetrics.echoSymbolCount
    }

    /// Whether a burst may be on the air.
    var isExpecting: Bool { !queue.isEmpty }

    /// Takes over what a profile's search has found.
    /// - Returns: how many attempts had to go.
    func enqueueCandidates(of chain: ProfileChain, profileIndex: Int) -> Int {
        guard let search = chain.repeats else { return 0 }
        var crowdedOutCount = 0
        let symbolCount = RepeatCombiner.symbolCount(repeatCount: repeatCount)
        for candidate in search.candidates {
            queue.removeAttempts(near: candidate, profileIndex: profileIndex, chain.format)
            let length = Double(symbolCount) * chain.format.symbolLength(offsetHertz: candidate.offsetHertz)
            let attempt = Attempt(
                profileIndex: profileIndex, candidate: candidate, layout: .token,
                due: Int((candidate.start + length).rounded(.up)))
            crowdedOutCount += queue.insert(attempt) ? 0 : 1
        }
        search.candidates.removeAll(keepingCapacity: true)
        return crowdedOutCount
    }

    /// The best burst that is over and of which no frame was reported.
    func next(endIndex: Int, chains: [ProfileChain], recent: borrowing RecentFrames) -> Attempt? {
        while let attempt = queue.next(endIndex: endIndex) {
            let format = chains[attempt.profileIndex].format
            let isKnown = (0..<repeatCount).contains { index in
                recent.contains(
                    profileIndex: attempt.profileIndex,
                    start: RepeatDecoder.start(index, of: attempt.candidate, format),
                    within: Double(format.samplesPerSymbol))
            }
            if !isKnown { return attempt }
        }
        return nil
    }

    /// Decodes a burst.
    func decode(_ attempt: Attempt, _ chain: ProfileChain, _ history: borrowing BasebandHistory) -> RepeatedFrame? {
        decoder.decode(attempt.candidate, chain, history)
    }
}
