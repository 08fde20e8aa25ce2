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
        guard let search = stages.repeatSearch else { return 0 }
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
        return droppedCount
    }

    /// Reads the bursts that are over and of which no frame could be read alone.
    func decode(
        _ history: BasebandHistory, _ stages: [ProfileStages], _ clock: InputClock,
        _ recent: inout RecentFrames, _ statistics: inout ReceiverStatistics, _ onFrame: (ReceivedFrame) -> Void
    ) {
        while let attempt = queue.next(endIndex: history.endIndex) {
            let stages = stages[attempt.profileIndex]
            let view = FrameView(place: attempt.candidate, layout: .token, stages: stages, history: history)
            guard !isKnown(view, attempt.profileIndex, recent), let frame = decoder.decode(view) else { continue }
            guard let received = note(frame, view.at(frame.place), attempt.profileIndex, clock, &recent) else {
                statistics.duplicates += 1
                continue
            }
            statistics.frames += 1
            statistics.combinedFrames += 1
            onFrame(received)
        }
    }

    /// Whether a frame of a burst was reported.
    private func isKnown(_ view: FrameView, _ profileIndex: Int, _ recent: borrowing RecentFrames) -> Bool {
        for index in 0..<repeatCount {
            let start = view.burstFrame(index).place.start
            if recent.contains(
                profileIndex: profileIndex, start: start, within: Double(view.format.samplesPerSymbol))
            {
                return true
            }
        }
        return false
    }

    /// Notes the frames of a burst.
    /// - Returns: what is to be reported, or nil where one of them is known.
    private func note(
        _ frame: RepeatedFrame, _ view: FrameView, _ profileIndex: Int, _ clock: InputClock,
        _ recent: inout RecentFrames
    ) -> ReceivedFrame? {
        let length = view.length
        var (first, last, count, isNew) = (frame.place.start, frame.place.start, 0, true)
        for index in 0..<repeatCount where frame.isPresent[index] {
            last = view.burstFrame(index).place.start
            first = count == 0 ? last : first
            count += 1
            isNew = recent.insert(frame.payload, profileIndex: profileIndex, start: last, length: length) && isNew
        }
        guard isNew else { return nil }
        return ReceivedFrame(
            payload: frame.payload, profileName: view.profile.name, startSample: clock.inputSample(first),
            endSample: clock.inputSample(last + length), offsetHertz: frame.place.offsetHertz,
            snrDecibels: frame.snrDecibels, pathMetric: frame.pathMetric, combinedCount: count)
    }
}
