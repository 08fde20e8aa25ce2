import EarshotCoding

/// From the history to attempts: steps 3 to 6 of the stages.
extension Receiver {
    mutating func search() {
        for stages in stages where stages.searchBlocks(history) {
            for candidate in stages.candidates {
                statistics.candidates += 1
                guard candidate.dominance >= minimumDominance(candidate, SyncCheck.minimumUnrefinedDominance),
                    let refined = stages.refine(candidate, history)
                else {
                    statistics.rejectedBySync += 1
                    continue
                }
                queue.removeAttempts(near: refined, profileIndex: stages.index, stages.format)
                enqueue(refined, profileIndex: stages.index, layout: nil)
            }
            if let repeats {
                statistics.rejectedByCrowding += repeats.enqueueCandidates(of: stages, profileIndex: stages.index)
            }
        }
    }

    /// Searches once more where frames were taken out, and for frames that began as much as a token earlier.
    /// - Returns: whether there was such a stretch.
    mutating func searchAgain() -> Bool {
        guard let stretch = canceller.takeChangedStretch() else { return false }
        searchAgain(from: stretch.lowerBound)
        search()
        return true
    }

    /// Lets the searches begin again as far before `index` as a token is long.
    mutating func searchAgain(from index: Int) {
        for stages in stages { stages.restartSearch(from: index, history) }
    }

    /// Looks at a candidate's sync pattern and length header, once both are there.
    mutating func examine(_ attempt: Attempt) {
        let stages = stages[attempt.profileIndex]
        var candidate = attempt.candidate
        let view = FrameView(place: candidate, layout: .token, stages: stages, history: history)
        let (dominance, announcedByteCount) = syncCheck.examine(view)
        candidate.dominance = dominance
        guard candidate.dominance >= minimumDominance(candidate, SyncCheck.minimumDominance) else {
            statistics.rejectedBySync += 1
            return
        }
        enqueue(candidate, profileIndex: attempt.profileIndex, layout: .token)
        if let announcedByteCount {
            let layout = FrameLayout(payloadByteCount: announcedByteCount)
            enqueue(candidate, profileIndex: attempt.profileIndex, layout: layout)
        }
    }

    /// What a candidate's sync pattern must be of the loudest tones: `usual`, or more where chance makes many.
    func minimumDominance(_ candidate: Candidate, _ usual: Float) -> Float {
        lone.contains(candidate.start) ? SyncCheck.clearDominance : usual
    }

    mutating func enqueue(_ candidate: Candidate, profileIndex: Int, layout: FrameLayout?) {
        let format = stages[profileIndex].format
        let symbolCount = (layout?.toneCount ?? SyncCheck.preambleToneCount) + ToneMetrics.echoSymbolCount
        let due = candidate.start + Double(symbolCount) * format.symbolLength(offsetHertz: candidate.offsetHertz)
        let attempt = Attempt(
            profileIndex: profileIndex, candidate: candidate, layout: layout, due: Int(due.rounded(.up)))
        if !queue.insert(attempt) {
            statistics.rejectedByCrowding += 1
        }
    }
}
