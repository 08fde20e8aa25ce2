import EarshotCoding
import EarshotDSP

/// The receiver: samples in, frames out.
///
/// 1. `ReceiverInput`: from samples of each channel to complex baseband at 3 kHz, which serves all profiles; its
///    history, without pilot tones.
/// 2. `SyncSearch`, for each profile: spectrogram, noise, and candidates for a sync pattern.
/// 3. `CandidateRefinement`: the exact time and frequency of a candidate.
/// 4. `AttemptQueue`: attempts wait until the samples that they need have arrived.
/// 5. `SyncCheck`, `LengthHypotheses`: whether the pattern stands out, and the possible lengths of the frame.
/// 6. `FrameDecoder`: whether there is a frame, its tones, the trellis, the CRC, and whether to accept the result.
/// 7. `RecentFrames`: the receiver reports each frame once.
/// 8. `FrameCanceller`: subtracts the frame from the baseband; then 2 to 7 run again and find the frames that it
///    masked. A frame that came alone is masked instead: it explains everything at its place.
/// 9. `RepeatCombiner`, opt-in: tokens in bursts whose frames are too quiet alone.
/// 10. `TokenRecognition`, opt-in: tokens that were decoded before and cannot be decoded now.
///
/// `processQuantum` runs them in this order. Push blocks of any size, and skip lost samples: the frames do not depend
/// on the block sizes. Time is a sample index. The receiver has no clock, no file and no thread, and it allocates
/// nothing per block.
///
/// One receiver listens to one device, which may have several microphones: it hears up to eight channels as one, and names the
/// best one of each frame.
public struct Receiver: ~Copyable {
    /// How long a disturbed attempt waits until the search finds the pattern of the disturbing frame, in baseband
    /// samples: 85 ms. Values from 43 to 512 ms were tried: with the longest, twelve talkers lose 10 % of their tokens.
    static let disturbedWait = 256
    /// Time stops at this sample: three million years at 48 kHz.
    static let latestSample: SampleIndex = 1 << 62

    /// The profiles to listen for, which share one band.
    public let profiles: [Profile]
    /// Samples per second and channel, in `ModemError.validSampleRatesHertz`.
    public let sampleRateHertz: Int
    /// The number of channels that it combines, in `Receiver.validChannelCounts`.
    public var channelCount: Int { input.channelCount }
    /// The numbers of channels that one receiver can combine.
    public static let validChannelCounts = 1...ChannelHistories.maximumCount
    /// Counts of its work so far.
    public var statistics: ReceiverStatistics {
        var statistics = counted
        statistics.candidates = search.candidateCount
        statistics.rejectedBySync = search.rejectedCount
        statistics.rejectedByBudget = search.queue.expiredCount + (repeats?.expiredCount ?? 0)
        statistics.rejectedByCrowding = search.queue.droppedCount + (repeats?.droppedCount ?? 0)
        return statistics
    }

    private var counted = ReceiverStatistics()
    private(set) var input: ReceiverInput
    /// The baseband of each channel.
    private var histories: ChannelHistories { input.histories }
    private(set) var search: FrameSearch
    /// Measures the frames of each profile.
    private var measurers: OwnedList<FrameMeasurer>
    private var decoder: FrameDecoder
    private var recent = RecentFrames()
    private var canceller: FrameCanceller
    private var budget: DecodingBudget
    private let repeats: RepeatCombiner?
    /// The recognition of each profile's tokens; empty without the opt-in.
    private var recognitions: OwnedList<TokenRecognition>

    /// Whether a frame may be on the air. Then the caller should push the next samples soon.
    public var isExpecting: Bool {
        !search.queue.isEmpty || search.hasSign(endIndex: histories.endIndex) || repeats?.isExpecting ?? false
    }

    /// Whether a frame seems to be on the air: each of its sync tones was the loudest of its symbol, at first those of the first
    /// group alone, and the frame is not over. In noise alone it is true 1 % of the time at most.
    public var isReceiving: Bool {
        let endIndex = histories.endIndex
        return search.queue.holdsSureFrame(endIndex: endIndex) || search.hasSign(endIndex: endIndex)
    }

    /// A receiver at the start of its input.
    /// - Parameters:
    ///   - sampleRateHertz: samples a second, in `ModemError.validSampleRatesHertz`.
    ///   - channelCount: the number of channels, in `validChannelCounts`: the microphones of one device.
    ///   - profiles: the profiles to listen for; at least one.
    ///   - repeatCount: the number of repeats of a token in a burst that are read together if each is too quiet alone,
    ///     2 to 8, or 1 for none. This takes memory and time, and such a token is reported only after its last repeat.
    ///   - recognisesTokens: whether to also report frames that cannot be decoded but have most tones of a token
    ///     decoded less than a minute before; see `ReceivedFrame.isRecognised`.
    /// - Throws: `ModemError` if the sample rate is below or above the valid ones.
    public init(
        sampleRateHertz: Int, channelCount: Int = 1, profiles: [Profile] = Profile.all, combining repeatCount: Int = 1,
        recognisesTokens: Bool = false
    ) throws(ModemError) {
        try ModemError.checkSampleRate(sampleRateHertz)
        precondition(!profiles.isEmpty, "no profile to listen for")
        self.sampleRateHertz = sampleRateHertz
        self.profiles = profiles
        // The longest frame or burst, the echo after it, and some slack for offsets.
        let burstLength = repeatCount > 1 ? RepeatCombiner.symbolCount(repeatCount: repeatCount) : 0
        let keptCount = (max(FrameLayout.longest.toneCount, burstLength) + 8) * BasebandFormat.longestSymbol(profiles)
        let recognisedCount = profiles.map { TokenRecognition.keptCount(BasebandFormat(profile: $0)) }.max() ?? 0
        let heardCount = max(BasebandFormat.rateHertz(profiles[0]), recognisesTokens ? recognisedCount : 0)
        input = ReceiverInput(
            sampleRateHertz: sampleRateHertz, channelCount: channelCount, profiles: profiles, keptCount: keptCount,
            heardCount: heardCount)
        let search = FrameSearch(
            profiles: profiles, combining: repeatCount, keptCount: keptCount, channelCount: channelCount)
        let histories = input.histories
        measurers = OwnedList(count: profiles.count) {
            FrameMeasurer(
                format: BasebandFormat(profile: profiles[$0]), histories: histories,
                noise: search.noise(profileIndex: $0))
        }
        // A frame whose first sync group was before the input still has the other one.
        input.begin(
            behindLost: SyncSearch.patternBlockCount * SyncSearch.blockSymbolCount
                * BasebandFormat.longestSymbol(profiles))
        self.search = search
        decoder = FrameDecoder(profiles: profiles, channelCount: channelCount)
        recognitions = OwnedList(count: recognisesTokens ? profiles.count : 0) {
            TokenRecognition(BasebandFormat(profile: profiles[$0]), profileIndex: $0)
        }
        canceller = FrameCanceller(profiles: profiles)
        budget = DecodingBudget(basebandRateHertz: BasebandFormat.rateHertz(profiles[0]))
        repeats = repeatCount > 1 ? RepeatCombiner(profiles: profiles, repeatCount: repeatCount) : nil
    }

    // MARK: Input

    /// Processes a block of samples, full scale 1, and reports the frames that ended.
    /// - Parameters:
    ///   - samples: shape [any][channelCount]; samples of several channels are interleaved.
    ///   - onFrame: receives each frame.
    public mutating func push(_ samples: Span<Float>, onFrame: (ReceivedFrame) -> Void) {
        SampleBlock.with(samples, channelCount: channelCount) { push($0, onFrame: onFrame) }
    }

    /// The same for integers; full scale is 2¹⁵. The frames are those of the same samples as floats.
    public mutating func push(_ samples: Span<Int16>, onFrame: (ReceivedFrame) -> Void) {
        SampleBlock.with(samples, channelCount: channelCount) { push($0, onFrame: onFrame) }
    }

    /// The same for the first `channelCount` channels of a block.
    mutating func push(_ block: SampleBlock, onFrame: (ReceivedFrame) -> Void) {
        counted.samples += SampleIndex(block.frameCount)
        take(block, onFrame)
    }

    /// Skips samples that were lost, and reports the frames that ended meanwhile.
    ///
    /// A hole is not silence: it does not affect the noise, and a frame with a hole is decoded from the rest if that is
    /// enough: about half of its sync pattern, and 70 % of its data tones. Frames after it keep their place in the
    /// input, in which the lost samples count. `skip(a)` and then `skip(b)` is exactly `skip(a + b)`, whatever the
    /// block sizes of the input around them.
    ///
    /// Cost: at most that of one or two seconds of input, however long the hole.
    /// - Parameters:
    ///   - sampleCount: 0 or more.
    ///   - onFrame: receives each frame.
    public mutating func skip(_ sampleCount: SampleIndex, onFrame: (ReceivedFrame) -> Void) {
        precondition(sampleCount >= 0, "\(sampleCount) samples skipped")
        let count = min(sampleCount, Receiver.latestSample - counted.samples - counted.skippedSamples)
        guard count > 0 else { return }
        counted.skippedSamples += count
        input.skip(count)
        processQuanta(onFrame)
    }

    /// Ends the input and reports the frames that can still be found. A frame is decided shortly after its last sample,
    /// so the last one waits for further input. Push nothing afterwards.
    public mutating func flush(onFrame: (ReceivedFrame) -> Void) {
        budget.fill()
        let silence = [Float](repeating: 0, count: channelCount * BasebandInput.maximumBlock)
        let longestSymbolSeconds = profiles.map { $0.symbolSeconds }.max() ?? 0
        // The longer of the search's delay and the shortest frame's.
        let seconds = 3 * Double(SyncSearch.blockSymbolCount) * longestSymbolSeconds
        var missing = channelCount * Int(seconds * Double(sampleRateHertz))
        while missing > 0 {
            let count = min(missing, silence.count)
            SampleBlock.with(silence.span.extracting(0..<count), channelCount: channelCount) { take($0, onFrame) }
            missing -= count
        }
    }

    private mutating func take(_ block: SampleBlock, _ onFrame: (ReceivedFrame) -> Void) {
        for first in stride(from: 0, to: block.frameCount, by: BasebandInput.maximumBlock) {
            input.take(block.extracting(first..<min(first + BasebandInput.maximumBlock, block.frameCount)))
            processQuanta(onFrame)
        }
    }

    private mutating func processQuanta(_ onFrame: (ReceivedFrame) -> Void) {
        // Recognition and repeats need every quantum.
        let looksAlways = recognitions.count > 0 || repeats != nil
        let (histories, quantum) = (histories, BasebandFormat.quantum)
        var quantaBefore = histories.endIndex / quantum
        while input.appendQuanta(before: looksAlways ? 0 : search.nextIndex) {
            // One by one, so that sums do not depend on the number of quanta in a call.
            for _ in quantaBefore..<histories.endIndex / quantum {
                budget.add(sampleCount: quantum)
            }
            processQuantum(onFrame)
            quantaBefore = histories.endIndex / quantum
        }
    }

    // MARK: The receive path

    /// Processes one quantum of baseband in all stages.
    private mutating func processQuantum(_ onFrame: (ReceivedFrame) -> Void) {
        // Pilot tones: a new tone has masked earlier frames.
        if let cleanedIndex = input.cancelPilots() {
            search.restart(cleanFrom: cleanedIndex, histories)
        }
        // Swept tones: earlier samples are already clean, or had none.
        if let cleanedIndex = input.cancelSweeps() {
            search.restart(from: cleanedIndex, histories)
        }
        var changedIndex: Int?
        repeat {
            // Search and refinement: possible starts of frames, and frames that began before a cancelled one.
            if let changedIndex { search.restart(from: changedIndex, histories) }
            changedIndex = nil
            var searchWork = search.findCandidates(histories, bursts: repeats)
            while let attempt = search.queue.next(
                endIndex: histories.endIndex, costliestAttempt: budget.costliestAttempt)
            {
                let profileIndex = attempt.profileIndex
                let view = FrameView(
                    place: attempt.candidate, layout: attempt.layout ?? .token, format: measurers[profileIndex].format)
                if attempt.layout == nil {
                    // Sync check: the possible lengths of the frame.
                    searchWork += search.checkSync(view, profileIndex: profileIndex, &measurers[profileIndex])
                } else if let end = search.queue.endOfClearerFrame(than: attempt, keptCount: histories.keptSampleCount)
                {
                    search.queue.insert(attempt, waitingUntil: end)
                } else if let frame = decode(attempt, view), report(frame, view.at(frame.place), profileIndex, onFrame)
                {
                    // Cancellation: the frame masked others.
                    if let range = cancel(frame, view.at(frame.place), profileIndex) {
                        changedIndex = min(changedIndex ?? range.lowerBound, range.lowerBound)
                    }
                }
            }
            budget.spend(searchWork)
        } while changedIndex != nil
        search.queue.removeExpired(
            before: histories.endIndex - histories.keptSampleCount, endIndex: histories.endIndex)
        // Repeats: bursts of which no frame was decoded.
        decodeBursts(onFrame)
        recogniseTokens(onFrame)
        if let sampleCount = input.passOverHole() {
            search.rewind(sampleCount)
            for profile in recognitions.indices { recognitions[profile].rewind(sampleCount) }
        }
    }

    // MARK: Frames

    /// Tries to decode a frame; if other frames disturb it, it waits and is tried again.
    private mutating func decode(_ attempt: Attempt, _ view: FrameView) -> DecodedFrame? {
        let isBrief = attempt.look == .brief && budget.costliestAttempt < .second
        let (outcome, work) = decoder.decode(
            view, profileIndex: attempt.profileIndex, &measurers[attempt.profileIndex],
            mayWait: !attempt.hasWaited, isBrief: isBrief)
        budget.spend(work)
        if attempt.isUnread, attempt.look == .first { readHeader(outcome, attempt, view) }
        switch outcome {
        case .decoded(let frame): return frame
        case .likeNoise: counted.rejectedByPathMetric += 1
        case .refused where isBrief:
            var attempt = attempt
            attempt.wasBrief = true
            search.queue.insert(attempt)
        case .refused(.check): counted.rejectedByCheck += 1
        case .refused: counted.rejectedByEvidence += 1
        case .disturbed(let logRatio):
            var attempt = attempt
            attempt.logRatio = logRatio
            attempt.hasWaited = true
            // A frame of another length waits for the token's attempt at the same place: often the token decodes, which
            // removes this attempt.
            let due = max(attempt.due, search.queue.endOfToken(at: attempt, view.format) ?? 0)
            search.queue.insert(attempt, waitingUntil: due + Receiver.disturbedWait)
        }
        return nil
    }

    /// Reads the length header along changing offsets where no token decoded, and queues an attempt of that length.
    private mutating func readHeader(_ outcome: DecodingOutcome, _ attempt: Attempt, _ view: FrameView) {
        if case .decoded = outcome { return }
        let profileIndex = attempt.profileIndex
        let (byteCount, work) = decoder.announcedByteCount(
            view, profileIndex: profileIndex, measurers[profileIndex])
        budget.spend(work)
        if let byteCount {
            search.insert(attempt.candidate, view.format, profileIndex: profileIndex, byteCount: byteCount)
        }
    }

    /// Reports a frame unless it is known.
    /// - Returns: whether it was new.
    private mutating func report(
        _ frame: DecodedFrame, _ view: FrameView, _ profileIndex: Int, _ onFrame: (ReceivedFrame) -> Void
    ) -> Bool {
        let (start, length) = (frame.place.start, view.length)
        guard recent.insert(frame.payload, profileIndex: profileIndex, start: start, length: length) else {
            counted.duplicates += 1
            return false
        }
        counted.frames += 1
        onFrame(frame.received(view, input.clock))
        return true
    }

    /// Cancels a frame in the baseband, and removes the attempts that its own tones caused.
    /// - Returns: the range in which the baseband has changed, if any.
    private mutating func cancel(
        _ frame: DecodedFrame, _ view: FrameView, _ profileIndex: Int
    ) -> Range<Int>? {
        let tones = FrameTones.tones(of: frame.payload, profile: view.profile)
        if recognitions.count > 0 {
            recognitions[profileIndex].note(frame.payload, tones: tones, at: Int(frame.place.start))
        }
        search.queue.removeAttempts(near: frame.place, profileIndex: profileIndex, view.format)
        let (outcome, work) = canceller.cancel(view, tones, &measurers[profileIndex])
        budget.spend(work)
        switch outcome {
        case .cancelled(let range):
            counted.cancelledFrames += 1
            return range
        case .budgetExhausted: break
        case .cameAlone: search.noteMaskedFrame(view)
        }
        return nil
    }

    /// Decodes the bursts that have ended.
    private mutating func decodeBursts(_ onFrame: (ReceivedFrame) -> Void) {
        while let outcome = repeats?.decodeNext(&measurers, input.clock, &recent, &budget) {
            switch outcome {
            case .duplicate: counted.duplicates += 1
            case .combined(let frame):
                counted.frames += 1
                counted.combinedFrames += 1
                onFrame(frame)
            }
        }
    }

    /// Reports frames of known tokens that were not decoded.
    private mutating func recogniseTokens(_ onFrame: (ReceivedFrame) -> Void) {
        let (profiles, clock) = (profiles, input.clock)
        var count = 0
        for index in recognitions.indices {
            recognitions[index].look(input.heard, besides: recent) { found in
                count += 1
                onFrame(found.received(profiles[index], clock))
            }
        }
        counted.recognisedFrames += count
    }
}
