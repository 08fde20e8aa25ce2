import EarshotCoding
import EarshotDSP

/// Samples in, frames out: the receive chain.
///
/// 1. `Downconverter`: samples to complex baseband at 3 kHz, which serves all profiles.
/// 2. `SteadyTones`: without pilots; `BasebandHistory`: the latest seconds of it.
/// 3. `SyncSearch`, for each profile: spectrogram, noise floor, and where the sync pattern may be: candidates.
/// 4. `CandidateRefinement`: their exact time and frequency.
/// 5. `SyncCheck`, `LengthHypotheses`: whether the pattern stands out, and how long the frame may be.
/// 6. `AttemptQueue`: until the frame is over.
/// 7. `FrameDecoder`: whether there is a frame, its tones, the trellis, the CRC, and whether to believe it.
/// 8. `RecentFrames`: each frame once.
/// 9. `FrameCanceller`: takes it out of the baseband, and 3 to 8 again: what it hid comes to light. A frame that came alone
///    counts as lost from then on: everything in it is explained.
/// 10. `RepeatCombiner`, for who asks for it: tokens in bursts whose frames are too quiet alone.
///
/// Push blocks of any size, and skip what was lost; the frames do not depend on how the input was cut. Time is a sample
/// index. No clock, no file, no thread, and no allocation per block. One receiver hears one channel.
public struct Receiver: ~Copyable {
    /// Baseband samples that are worked on at a time; a power of two, at most the longest hop and at least the shortest.
    static let quantum = 32
    /// Of what a profile's search finds in one go only so many are looked at, the best.
    static let largestCandidateCount = 32
    /// How long a disturbed attempt waits for the pattern of what disturbs it to be found: 85 ms. Every hundredth of a
    /// second more costs crowds: 0.5 s cost twelve talkers 10 % of their tokens.
    static let disturbedWait = 256
    /// Time does not go on beyond this sample: three million years at 48 kHz.
    static let latestSample = 1 << 62

    /// The profiles it listens for.
    public let profiles: [Profile]
    /// Samples a second.
    public let sampleRateHertz: Int
    /// What it has done so far.
    public private(set) var statistics = ReceiverStatistics()

    private var clock: InputClock
    private var downconverter: Downconverter
    private var converted: [ComplexSample]
    private(set) var steadyTones = SteadyTones()
    private(set) var history: BasebandHistory
    /// The latest second as it was heard, before anything is taken out of it; see `BandMeter`.
    private(set) var heard: BasebandHistory
    private(set) var chains: [ProfileChain]
    private var candidates: [Candidate] = []
    /// The history's end index at which the next search has something to do.
    private var searchDueIndex = 0
    private var queue = AttemptQueue()
    private var syncCheck: SyncCheck
    private var decoder: FrameDecoder
    private var recent = RecentFrames()
    private var canceller: FrameCanceller
    private let repeats: RepeatCombiner?
    /// Where a sync pattern may begin that lies within the latest frame that came alone: only a clear one is believed.
    private var lone = 0.0..<0.0
    /// Behind so many lost baseband samples all that came before is decided and nothing of it is looked at any more.
    private let settledCount: Int
    /// So many more, or a multiple, change nothing but the time: whole blocks of the longest search.
    private let ringCount: Int

    /// Whether a frame may be on the air: then somebody may want the next samples soon.
    public var isExpecting: Bool { !queue.isEmpty || repeats?.isExpecting ?? false }

    /// A receiver at the start of its input.
    /// - Parameters:
    ///   - sampleRateHertz: any from 44,100 on.
    ///   - profiles: those to listen for; they share one band.
    ///   - repeatCount: how many repeats of a token in a burst are read together where each is too quiet alone, 2 to 8, or 1
    ///     for none. Costs memory, time, and for such a token the delay until its last repeat is over.
    /// - Throws: `ModemError` where the rate cannot carry the band.
    public init(
        sampleRateHertz: Int, profiles: [Profile] = Profile.all, combining repeatCount: Int = 1
    ) throws(ModemError) {
        try ModemError.checkSampleRate(sampleRateHertz)
        precondition(!profiles.isEmpty, "no profile to listen for")
        let band = profiles[0]
        precondition(
            profiles.allSatisfy { $0.lowestHertz == band.lowestHertz && $0.bandwidthHertz == band.bandwidthHertz },
            "profiles of one receiver share one band")
        self.sampleRateHertz = sampleRateHertz
        self.profiles = profiles
        let reach = profiles.map { $0.largestOffset * Double($0.highestHertz) }.max() ?? 0
        downconverter = Downconverter(
            Downconverter.Design(
                inputRateHertz: sampleRateHertz, outputRateHertz: BasebandFormat.rateHertz(band),
                centreHertz: band.centreHertz, passbandHertz: Double(band.bandwidthHertz) / 2 + reach))
        converted = [ComplexSample](repeating: ComplexSample(), count: downconverter.largestOutput)
        let longestSymbol = profiles.map { BasebandFormat(profile: $0).samplesPerSymbol }.max() ?? 0
        // The longest frame or burst, the echo behind it, and some slack for offsets.
        let burstLength = repeatCount > 1 ? RepeatCombiner.symbolCount(repeatCount: repeatCount) : 0
        let keptCount = (max(FrameLayout.longest.toneCount, burstLength) + 8) * longestSymbol
        chains = profiles.map { ProfileChain($0, combining: repeatCount, keptCount: keptCount) }
        repeats = repeatCount > 1 ? RepeatCombiner(profiles: profiles, repeatCount: repeatCount) : nil
        history = BasebandHistory(keptCount: keptCount)
        heard = BasebandHistory(keptCount: BasebandFormat.rateHertz(band))
        ringCount = SyncSearch.blockSymbolCount * longestSymbol
        settledCount = keptCount + ringCount
        clock = InputClock(inputRateHertz: sampleRateHertz, basebandRateHertz: BasebandFormat.rateHertz(band))
        syncCheck = SyncCheck(profiles: profiles)
        decoder = FrameDecoder(profiles: profiles)
        canceller = FrameCanceller(profiles: profiles)
        candidates.reserveCapacity(4 * SyncSearch.largestCandidateCount)
    }

    /// Takes a block of samples in, full scale 1, and reports the frames that ended.
    public mutating func push(_ samples: Span<Float>, onFrame: (ReceivedFrame) -> Void) {
        statistics.samples += samples.count
        take(samples, onFrame: onFrame)
    }

    /// The same for integers; full scale is 2¹⁵. The frames are those of the same samples as floats.
    public mutating func push(_ samples: Span<Int16>, onFrame: (ReceivedFrame) -> Void) {
        statistics.samples += samples.count
        var first = 0
        while first < samples.count {
            let count = min(Downconverter.largestBlock, samples.count - first)
            append(downconverter.process(samples.extracting(first..<first + count), into: &converted), onFrame)
            first += count
        }
    }

    /// Passes over samples that existed but were lost, and reports the frames that ended meanwhile.
    ///
    /// A hole is no silence: it says nothing about the noise, and a frame with a hole in it is decoded from the rest if that
    /// is enough: about half of its sync pattern, and all of its data but six symbols in a row. Frames behind it keep their
    /// place in the input, in which the lost samples count. `skip(a)` and then `skip(b)` is exactly `skip(a + b)`, whatever
    /// blocks the input around them comes in.
    ///
    /// Cost: however long the hole, at most that of a second or two of input.
    /// - Parameter sampleCount: 0 or more.
    public mutating func skip(_ sampleCount: Int, onFrame: (ReceivedFrame) -> Void) {
        precondition(sampleCount >= 0, "\(sampleCount) samples skipped")
        let count = min(sampleCount, Receiver.latestSample - statistics.samples - statistics.skippedSamples)
        guard count > 0 else { return }
        statistics.skippedSamples += count
        appendLost(downconverter.skip(count), onFrame)
    }

    /// Reports what can still be found at the input's end: a frame is decided a little after its last sample, so the last
    /// one waits for what follows. Push nothing afterwards.
    public mutating func flush(onFrame: (ReceivedFrame) -> Void) {
        let silence = [Float](repeating: 0, count: Downconverter.largestBlock)
        let longestSymbolSeconds = profiles.map(\.symbolSeconds).max() ?? 0
        // The search's delay and the shortest frame's, whichever is longer.
        let seconds = 3 * Double(FrameLayout.syncToneCount) * longestSymbolSeconds
        var missing = Int(seconds * Double(sampleRateHertz))
        while missing > 0 {
            let count = min(missing, silence.count)
            take(silence.span.extracting(0..<count), onFrame: onFrame)
            missing -= count
        }
    }

    private mutating func take(_ samples: Span<Float>, onFrame: (ReceivedFrame) -> Void) {
        var first = 0
        while first < samples.count {
            let count = min(Downconverter.largestBlock, samples.count - first)
            append(downconverter.process(samples.extracting(first..<first + count), into: &converted), onFrame)
            first += count
        }
    }

    /// Appends what the downconverter has made.
    private mutating func append(_ produced: Int, _ onFrame: (ReceivedFrame) -> Void) {
        // The filter reaches into the hole.
        var first = downconverter.lostOutputCount
        appendLost(first, onFrame)
        while first < produced {
            let count = min(missingCount, produced - first)
            heard.append(converted, first..<first + count)
            steadyTones.remove(from: &converted, first..<first + count)
            history.append(converted, first..<first + count)
            first += count
            finishQuantum(onFrame)
        }
    }

    /// Appends lost baseband samples. In a hole that lasts so long that nothing changes any more the baseband's indices
    /// stand still, up to what is left of a ring.
    private mutating func appendLost(_ lostCount: Int, _ onFrame: (ReceivedFrame) -> Void) {
        var left = lostCount
        while left > 0 {
            let count = min(missingCount, left)
            history.appendLost(count)
            heard.appendLost(count)
            steadyTones.skip(count)
            left -= count
            guard finishQuantum(onFrame) else { return }
            if history.lostTailCount >= settledCount + ringCount {
                history.rewind(ringCount)
                for chain in chains {
                    chain.search.rewind(ringCount)
                }
                searchDueIndex = 0
                clock.pass(ringCount)
            }
            if settledCount..<settledCount + Receiver.quantum ~= history.lostTailCount {
                clock.pass(left - left % ringCount)
                left %= ringCount
            }
        }
    }

    /// What is missing of a quantum. Baseband is appended in whole quanta, so that what is decided when does not depend on
    /// the blocks.
    private var missingCount: Int { Receiver.quantum - history.endIndex % Receiver.quantum }

    /// Looks for frames if the history ends with a whole quantum.
    @discardableResult
    private mutating func finishQuantum(_ onFrame: (ReceivedFrame) -> Void) -> Bool {
        guard history.endIndex % Receiver.quantum == 0 else { return false }
        if let cleanedIndex = steadyTones.finishQuantum(&history) {
            searchAgain(from: cleanedIndex)
        }
        search()
        decode(onFrame)
        return true
    }

    private mutating func search() {
        guard history.endIndex >= searchDueIndex else { return }
        searchDueIndex = .max
        for (index, chain) in chains.enumerated() {
            defer { searchDueIndex = min(searchDueIndex, chain.search.dueIndex) }
            candidates.removeAll(keepingCapacity: true)
            chain.search.process(history, into: &candidates)
            if candidates.count > Receiver.largestCandidateCount {
                candidates.sort { $0.score > $1.score }
                candidates.removeLast(candidates.count - Receiver.largestCandidateCount)
            }
            for candidate in candidates {
                statistics.candidates += 1
                guard candidate.dominance >= leastShare(candidate, SyncCheck.leastUnrefinedDominance) else {
                    statistics.rejectedBySync += 1
                    continue
                }
                let refined = chain.refinement.refine(
                    candidate, history, inverseFloor: chain.search.inverseFloor)
                guard refined.score >= chain.format.leastRefinedScore else {
                    statistics.rejectedBySync += 1
                    continue
                }
                queue.removeAttempts(near: refined, profileIndex: index, chain.format)
                enqueue(refined, profileIndex: index, layout: nil)
            }
            if let repeats {
                statistics.rejectedByCrowding += repeats.enqueueCandidates(of: chain, profileIndex: index)
            }
        }
    }

    /// Searches once more where frames were taken out, and for frames that began as much as a token earlier.
    /// - Returns: whether there was such a stretch.
    private mutating func searchAgain() -> Bool {
        guard let stretch = canceller.takeChangedStretch() else { return false }
        searchAgain(from: stretch.lowerBound)
        search()
        return true
    }

    /// Lets the searches begin again as far before `index` as a token is long.
    private mutating func searchAgain(from index: Int) {
        for chain in chains {
            let tokenLength = FrameLayout.token.toneCount * chain.format.samplesPerSymbol
            let affected = history.heldRange(index - tokenLength..<history.endIndex)
            chain.search.restart(from: affected.lowerBound)
        }
        searchDueIndex = 0
    }

    /// Looks at a candidate's sync pattern and length header, once both are there.
    private mutating func examine(_ attempt: Attempt) {
        let chain = chains[attempt.profileIndex]
        var candidate = attempt.candidate
        let (dominance, announcedByteCount) = syncCheck.examine(candidate, chain, history)
        candidate.dominance = dominance
        guard candidate.dominance >= leastShare(candidate, SyncCheck.leastDominance) else {
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
    private func leastShare(_ candidate: Candidate, _ usual: Float) -> Float {
        lone.contains(candidate.start) ? SyncCheck.clearDominance : usual
    }

    private mutating func enqueue(_ candidate: Candidate, profileIndex: Int, layout: FrameLayout?) {
        let format = chains[profileIndex].format
        let symbolCount = (layout?.toneCount ?? SyncCheck.preambleToneCount) + ToneMetrics.echoSymbolCount
        let due = candidate.start + Double(symbolCount) * format.symbolLength(offsetHertz: candidate.offsetHertz)
        let attempt = Attempt(
            profileIndex: profileIndex, candidate: candidate, layout: layout, due: Int(due.rounded(.up)))
        if !queue.insert(attempt) {
            statistics.rejectedByCrowding += 1
        }
    }

    /// Decodes what is due, best first, and again what comes to light when decoded frames are taken away.
    private mutating func decode(_ onFrame: (ReceivedFrame) -> Void) {
        repeat {
            while var attempt = queue.next(endIndex: history.endIndex) {
                guard let layout = attempt.layout else {
                    examine(attempt)
                    continue
                }
                guard !postpone(attempt) else { continue }
                let outcome = decoder.decode(
                    attempt.candidate, layout: layout, mayWait: !attempt.hasWaited, chains[attempt.profileIndex],
                    history)
                switch outcome {
                case .pathMetricOfNoise: statistics.rejectedByPathMetric += 1
                case .checkMismatch: statistics.rejectedByCheck += 1
                case .disturbed:
                    attempt.hasWaited = true
                    putOff(attempt, until: attempt.due + Receiver.disturbedWait)
                case .decoded(let frame): report(frame, profileIndex: attempt.profileIndex, onFrame)
                }
            }
        } while searchAgain()
        repeats?.decode(history, chains, clock, &recent, &statistics, onFrame)
    }

    /// Lets an attempt that may well be a chance meeting of a louder frame's tones wait until that one is decided.
    private mutating func postpone(_ attempt: Attempt) -> Bool {
        let clearShare = attempt.hasWaited ? SyncCheck.sureDominance : SyncCheck.clearDominance
        guard attempt.candidate.dominance < clearShare,
            let end = queue.end(ofClearerThan: attempt, clearShare: clearShare),
            Double(end) - attempt.candidate.start <= Double(history.keptSampleCount)
        else { return false }
        putOff(attempt, until: end)
        return true
    }

    private mutating func putOff(_ attempt: Attempt, until due: Int) {
        var later = attempt
        later.due = due
        if !queue.insert(later) {
            statistics.rejectedByCrowding += 1
        }
    }

    /// Reports a frame that is not known yet, and takes it out of the baseband.
    private mutating func report(_ frame: DecodedFrame, profileIndex: Int, _ onFrame: (ReceivedFrame) -> Void) {
        let chain = chains[profileIndex]
        let tones = FrameTones.tones(of: frame.payload, profile: chain.profile)
        let (start, offsetHertz) = (frame.place.start, frame.place.offsetHertz)
        let length = Double(tones.count) * chain.format.symbolLength(offsetHertz: offsetHertz)
        guard recent.insert(frame.payload, profileIndex: profileIndex, start: start, length: length) else {
            statistics.duplicates += 1
            return
        }
        statistics.frames += 1
        onFrame(
            ReceivedFrame(
                payload: frame.payload, profileName: chain.profile.name, startSample: clock.inputSample(start),
                endSample: clock.inputSample(start + length), offsetHertz: offsetHertz,
                snrDecibels: frame.snrDecibels, pathMetric: frame.pathMetric))
        queue.removeAttempts(near: frame.place, profileIndex: profileIndex, chain.format)
        switch canceller.cancel(tones, chain, place: frame.place, from: &history) {
        case .cancelled: statistics.cancelledFrames += 1
        case .tooMany: break
        case .cameAlone:
            let patternLength = length * Double(FrameLayout.syncToneCount) / Double(tones.count)
            lone = start..<start + length - patternLength
            queue.removeAttempts(startingIn: lone, lessClearThan: SyncCheck.clearDominance)
            // All there was is explained. What else meets it looks like a frame, and costs as much as one.
            history.lose(Int(start.rounded())..<Int((start + length).rounded()))
        }
    }
}
