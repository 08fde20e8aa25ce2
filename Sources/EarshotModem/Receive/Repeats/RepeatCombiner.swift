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
        (repeatCount - 1) * FrameLayout.burstSpacingToneCount + FrameLayout.token.toneCount
            + ToneMetrics.echoSymbolCount
    }

    /// Whether a burst may be on the air.
    var isExpecting: Bool { !queue.isEmpty }

    /// Takes over what a profile's search has found.
    /// - Returns: how many attempts had to go.
    func enqueueCandidates(of stages: ProfileStages, profileIndex: Int) -> Int {
        guard let search = stages.repeats else { return 0 }
        var droppedCount = 0
        let symbolCount = RepeatCombiner.symbolCount(repeatCount: repeatCount)
        for candidate in search.candidates {
            queue.removeAttempts(near: candidate, profileIndex: profileIndex, stages.format)
            let length = Double(symbolCount) * stages.format.symbolLength(offsetHertz: candidate.offsetHertz)
            let attempt = Attempt(
                profileIndex: profileIndex, candidate: candidate, layout: .token,
                due: Int((candidate.start + length).rounded(.up)))
            droppedCount += queue.insert(attempt) ? 0 : 1
        }
        search.candidates.removeAll(keepingCapacity: true)
        return droppedCount
    }

    /// Reads the bursts that are over and of which no frame could be read alone.
    func decode(
        _ history: borrowing BasebandHistory, _ stages: [ProfileStages], _ clock: InputClock,
        _ recent: inout RecentFrames, _ statistics: inout ReceiverStatistics, _ onFrame: (ReceivedFrame) -> Void
    ) {
        while let attempt = queue.next(endIndex: history.endIndex) {
            let stages = stages[attempt.profileIndex]
            guard !isKnown(attempt, stages.format, recent),
                let frame = decoder.decode(attempt.candidate, stages, history)
            else { continue }
            guard let received = note(frame, attempt.profileIndex, stages.format, clock, &recent) else {
                statistics.duplicates += 1
                continue
            }
            statistics.frames += 1
            statistics.combinedFrames += 1
            onFrame(received)
        }
    }

    /// Whether a frame of a burst was reported.
    private func isKnown(_ attempt: Attempt, _ format: BasebandFormat, _ recent: borrowing RecentFrames) -> Bool {
        for index in 0..<repeatCount {
            let start = RepeatDecoder.start(index, of: attempt.candidate, format)
            if recent.contains(
                profileIndex: attempt.profileIndex, start: start, within: Double(format.samplesPerSymbol))
            {
                return true
            }
        }
        return false
    }

    /// Notes the frames of a burst.
    /// - Returns: what is to be reported, or nil where one of them is known.
    private func note(
        _ frame: RepeatedFrame, _ profileIndex: Int, _ format: BasebandFormat, _ clock: InputClock,
        _ recent: inout RecentFrames
    ) -> ReceivedFrame? {
        let length =
            Double(FrameLayout.token.toneCount) * format.symbolLength(offsetHertz: frame.place.offsetHertz)
        var (first, last, count, isNew) = (frame.place.start, frame.place.start, 0, true)
        for index in 0..<repeatCount where frame.isPresent[index] {
            last = RepeatDecoder.start(index, of: frame.place, format)
            first = count == 0 ? last : first
            count += 1
            isNew = recent.insert(frame.payload, profileIndex: profileIndex, start: last, length: length) && isNew
        }
        guard isNew else { return nil }
        return ReceivedFrame(
            payload: frame.payload, profileName: format.profile.name, startSample: clock.inputSample(first),
            endSample: clock.inputSample(last + length), offsetHertz: frame.place.offsetHertz,
            snrDecibels: frame.snrDecibels, pathMetric: frame.pathMetric, combinedCount: count)
    }
}
