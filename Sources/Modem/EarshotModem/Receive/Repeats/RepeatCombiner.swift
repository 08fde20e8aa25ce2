import EarshotCoding

/// The outcome of reading a burst.
enum BurstOutcome {
    /// The burst was read from several frames together.
    case combined(ReceivedFrame)
    /// The burst was read, and one of its frames is known.
    case duplicate
}

/// The stage that combines repeats: the bursts that may be on the air, and their decoder.
final class RepeatCombiner {
    /// R: the number of frames that are read together.
    let repeatCount: Int
    private var queue = AttemptQueue()
    private var decoder: RepeatDecoder

    init(profiles: [Profile], repeatCount: Int) {
        precondition(FrameLayout.burstCounts.contains(repeatCount), "\(repeatCount) repeats to combine")
        self.repeatCount = repeatCount
        decoder = RepeatDecoder(profiles: profiles, repeatCount: repeatCount)
    }

    /// The length of R repeats and the echo after them, in symbols.
    static func symbolCount(repeatCount: Int) -> Int {
        (repeatCount - 1) * FrameLayout.burstSpacingToneCount + FrameLayout.token.toneCount
            + ToneMetrics.echoSymbolCount
    }

    /// Whether a burst may be on the air.
    var isExpecting: Bool { !queue.isEmpty }

    /// Bursts dropped because too many were waiting.
    var droppedCount: Int { queue.droppedCount }

    /// Bursts that the budget of decoding work did not allow.
    var expiredCount: Int { queue.expiredCount }

    /// Adds the bursts that the search of the profile with this index has found.
    func insertBursts(_ candidates: [Candidate], _ format: BasebandFormat, profileIndex: Int) {
        let symbolCount = RepeatCombiner.symbolCount(repeatCount: repeatCount)
        for candidate in candidates {
            queue.removeAttempts(near: candidate, profileIndex: profileIndex, format)
            let length = Double(symbolCount) * format.symbolLength(offsetHertz: candidate.offsetHertz)
            let attempt = Attempt(
                profileIndex: profileIndex, candidate: candidate, layout: .token,
                due: Int((candidate.start + length).rounded(.up)))
            queue.insert(attempt)
        }
    }

    /// Reads the next burst that has ended and of which no frame could be read alone.
    /// - Parameters:
    ///   - measurers: measure the frames of each profile.
    ///   - clock: the place of the baseband in the input.
    ///   - recent: the recently reported frames; receives those of the burst.
    ///   - budget: pays for the attempts.
    /// - Returns: nil when there is no further burst to read.
    func decodeNext(
        _ measurers: inout OwnedList<FrameMeasurer>, _ clock: InputClock, _ recent: inout RecentFrames,
        _ budget: inout DecodingBudget
    ) -> BurstOutcome? {
        let histories = measurers[0].histories
        while let attempt = queue.next(endIndex: histories.endIndex, costliestAttempt: budget.costliestAttempt) {
            let index = attempt.profileIndex
            let view = FrameView(place: attempt.candidate, layout: .token, format: measurers[index].format)
            guard !isKnown(view, index, recent) else { continue }
            budget.spend(DecodingWork.symbolBurst * (repeatCount * view.layout.toneCount * histories.count))
            guard let frame = decoder.decode(view, &measurers[index]) else { continue }
            return note(frame, view.at(frame.place), index, clock, &recent)
        }
        queue.removeExpired(before: histories.endIndex - histories.keptSampleCount, endIndex: histories.endIndex)
        return nil
    }

    /// Whether a frame of the burst was reported.
    private func isKnown(_ view: FrameView, _ profileIndex: Int, _ recent: RecentFrames) -> Bool {
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

    /// Stores the frames of a burst.
    private func note(
        _ frame: RepeatedFrame, _ view: FrameView, _ profileIndex: Int, _ clock: InputClock,
        _ recent: inout RecentFrames
    ) -> BurstOutcome {
        let length = view.length
        var (first, last, count, isNew) = (frame.place.start, frame.place.start, 0, true)
        for index in 0..<repeatCount where frame.isPresent[index] {
            last = view.burstFrame(index).place.start
            first = count == 0 ? last : first
            count += 1
            isNew = recent.insert(frame.payload, profileIndex: profileIndex, start: last, length: length) && isNew
        }
        guard isNew else { return .duplicate }
        return .combined(
            ReceivedFrame(
                payload: frame.payload, profileName: view.profile.name, startSample: clock.inputSample(first),
                endSample: clock.inputSample(last + length), offsetHertz: Double(frame.place.offsetHertz),
                snrDecibels: frame.snrDecibels, pathMetric: frame.pathMetric, channel: frame.place.shares.best,
                combinedCount: count))
    }
}
