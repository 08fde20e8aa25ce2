import EarshotCoding
import EarshotDSP

/// Samples in, frames out: the receive stages.
///
/// 1. `Downconverter`: samples to complex baseband at 3 kHz, which serves all profiles.
/// 2. `PilotCanceller`: without pilots; `BasebandHistory`: the latest seconds of it.
/// 3. `SyncSearch`, for each profile: spectrogram, noise floor, and where the sync pattern may be: candidates.
/// 4. `CandidateRefinement`: their exact time and frequency.
/// 5. `SyncCheck`, `LengthHypotheses`: whether the pattern stands out, and how long the frame may be.
/// 6. `AttemptQueue`: until the frame is over.
/// 7. `FrameDecoder`: whether there is a frame, its tones, the trellis, the CRC, and whether to believe it.
/// 8. `RecentFrames`: each frame once.
/// 9. `FrameCanceller`: takes it out of the baseband, and 3 to 8 again: what it hid comes to light. A frame that came alone
///    counts as lost from then on: everything in it is explained.
/// 10. `RepeatCombiner`, for who asks for it: tokens in bursts whose frames are too quiet alone.
/// 11. `TokenRecognition`, for who asks for it: tokens that were heard before, where they cannot be decoded.
///
/// Push blocks of any size, and skip what was lost; the frames do not depend on how the input was cut. Time is a sample
/// index. No clock, no file, no thread, and no allocation per block. One receiver hears one channel.
public struct Receiver: ~Copyable {
    /// Baseband samples that are worked on at a time; a power of two, at most the longest hop and at least the shortest.
    static let quantum = 32
    /// How long a disturbed attempt waits for the pattern of what disturbs it to be found: 85 ms. Tried from
    /// 43 to 512 ms: the longest costs twelve talkers 10 % of their tokens.
    static let disturbedWait = 256
    /// Time does not go on beyond this sample: three million years at 48 kHz.
    static let latestSample = 1 << 62

    /// The profiles it listens for.
    public let profiles: [Profile]
    /// Samples a second.
    public let sampleRateHertz: Int
    /// What it has done so far.
    public internal(set) var statistics = ReceiverStatistics()

    var clock: InputClock
    private var downconverter: Downconverter
    private var converted: [ComplexSample]
    private(set) var pilots = PilotCanceller()
    let history: BasebandHistory
    /// The latest second or more as it was heard, before anything is taken out of it; see `BandMeter`, `TokenRecognition`.
    let heard: BasebandHistory
    private(set) var stages: [ProfileStages]
    var queue = AttemptQueue()
    var syncCheck: SyncCheck
    var decoder: FrameDecoder
    var recent = RecentFrames()
    var recognised = RecentFrames()
    var canceller: FrameCanceller
    let repeats: RepeatCombiner?
    /// Where a sync pattern may begin that lies within the latest frame that came alone: only a clear one is believed.
    var lone = 0.0..<0.0
    /// Behind so many lost baseband samples all that came before is decided and nothing of it is looked at any more.
    private let settledCount: Int
    /// So many more, or a multiple, change nothing but the time: whole blocks of the longest search.
    private let ringCount: Int

    /// Whether a frame may be on the air: then somebody may want the next samples soon.
    public var isExpecting: Bool { !queue.isEmpty || repeats?.isExpecting ?? false }

    /// Whether a frame seems to be on the air: each of its sync tones was the loudest of its symbol, and it is not over. At −3 dB,
    /// 20 symbols behind a frame's start, true for 60 % of `fast` and all other frames; in noise alone 1 % of the time at most.
    public var isReceiving: Bool { queue.holdsSureFrame }

    /// A receiver at the start of its input.
    /// - Parameters:
    ///   - sampleRateHertz: any from 44,100 on.
    ///   - profiles: those to listen for; they share one band.
    ///   - repeatCount: how many repeats of a token in a burst are read together where each is too quiet alone, 2 to 8, or 1
    ///     for none. Costs memory, time, and for such a token the delay until its last repeat is over.
    ///   - recognisesTokens: whether to report also frames that cannot be decoded, but have most tones of a token decoded less than
    ///     a minute before: see `ReceivedFrame.isRecognised`. For who wants to know whether somebody is still there.
    /// - Throws: `ModemError` where the rate cannot carry the band.
    public init(
        sampleRateHertz: Int, profiles: [Profile] = Profile.all, combining repeatCount: Int = 1,
        recognisesTokens: Bool = false
    ) throws(ModemError) {
        try ModemError.checkSampleRate(sampleRateHertz)
        precondition(!profiles.isEmpty, "no profile to listen for")
        let band = profiles[0]
        precondition(
            profiles.allSatisfy { $0.lowestHertz == band.lowestHertz && $0.bandwidthHertz == band.bandwidthHertz },
            "profiles of one receiver share one band")
        self.sampleRateHertz = sampleRateHertz
        self.profiles = profiles
        let reach = profiles.map { $0.maximumOffset * Double($0.highestHertz) }.max() ?? 0
        downconverter = Downconverter(
            Downconverter.Design(
                inputRateHertz: sampleRateHertz, outputRateHertz: BasebandFormat.rateHertz(band),
                centreHertz: band.centreHertz, passbandHertz: Double(band.bandwidthHertz) / 2 + reach))
        converted = [ComplexSample](repeating: ComplexSample(), count: downconverter.maximumOutputCount)
        let longestSymbol = profiles.map { BasebandFormat(profile: $0).samplesPerSymbol }.max() ?? 0
        // The longest frame or burst, the echo behind it, and some slack for offsets.
        let burstLength = repeatCount > 1 ? RepeatCombiner.symbolCount(repeatCount: repeatCount) : 0
        let keptCount = (max(FrameLayout.longest.toneCount, burstLength) + 8) * longestSymbol
        stages = profiles.enumerated().map { index, profile in
            ProfileStages(
                profile, index: index, combining: repeatCount, keptCount: keptCount, recognisesTokens: recognisesTokens)
        }
        repeats = repeatCount > 1 ? RepeatCombiner(profiles: profiles, repeatCount: repeatCount) : nil
        history = BasebandHistory(keptCount: keptCount)
        let recognisedCount = stages.map { TokenRecognition.keptCount($0.format) }.max() ?? 0
        heard = BasebandHistory(keptCount: max(BasebandFormat.rateHertz(band), recognisesTokens ? recognisedCount : 0))
        ringCount = SyncSearch.blockSymbolCount * longestSymbol
        settledCount = keptCount + ringCount
        clock = InputClock(inputRateHertz: sampleRateHertz, basebandRateHertz: BasebandFormat.rateHertz(band))
        syncCheck = SyncCheck(profiles: profiles)
        decoder = FrameDecoder(profiles: profiles)
        canceller = FrameCanceller(profiles: profiles)
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
            let count = min(Downconverter.maximumInputCount, samples.count - first)
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
        let silence = [Float](repeating: 0, count: Downconverter.maximumInputCount)
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
            let count = min(Downconverter.maximumInputCount, samples.count - first)
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
            pilots.remove(from: &converted, first..<first + count)
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
            pilots.skip(count)
            left -= count
            guard finishQuantum(onFrame) else { return }
            if history.lostTailCount >= settledCount + ringCount {
                history.rewind(ringCount)
                heard.rewind(ringCount)
                for stages in stages { stages.rewind(ringCount) }
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
        if let cleanedIndex = pilots.finishQuantum(history) {
            searchAgain(from: cleanedIndex)
        }
        search()
        decode(onFrame)
        return true
    }
}
