import EarshotDSP

/// From input samples to the baseband's history, in quanta of 32 samples.
///
/// 1. `take` or `skip`: the downconverter converts the input to baseband, or counts lost samples. 2. `appendQuantum`:
///    appends the missing part of a quantum to the histories; `history` without the known pilot tones. 3.
///    `cancelPilots`: looks for pilot tones at the end of a quantum. 4. `passOverHole`: in a long hole the indices do
///    not advance.
///
/// So decisions at the end of a quantum do not depend on the block sizes of the input. No allocation after `init`.
struct BasebandInput: ~Copyable {
    /// The latest seconds of baseband, without pilot tones and without the frames that were cancelled.
    let history: BasebandHistory
    /// The latest second or more of the unchanged baseband; see `BandMeter`, `TokenRecognition`.
    let heard: BasebandHistory
    /// The place of the baseband in the input.
    private(set) var clock: InputClock
    private(set) var pilots = PilotCanceller()
    private var sweeps = SweepCanceller()

    private var downconverter: Downconverter
    private var converted: [ComplexSample]
    /// The channel's samples, extracted from interleaved ones.
    private var floats = [Float](repeating: 0, count: maximumBlock)
    private var integers = [Int16](repeating: 0, count: maximumBlock)
    /// The range of `converted` that waits to be appended.
    private var waiting = 0..<0
    /// Lost samples that wait to be appended, before `waiting`.
    private var waitingLostCount: SampleIndex = 0
    /// After this many lost baseband samples, every earlier attempt is decided and no earlier sample is used.
    private let settledCount: Int
    /// Skipping a multiple of this changes only the clock: whole blocks of the longest search.
    private let ringCount: Int

    /// - Parameters:
    ///   - profiles: the receiver's profiles, which share one band.
    ///   - keptCount: the number of samples that `history` keeps.
    ///   - heardCount: the number of samples that `heard` keeps.
    init(sampleRateHertz: Int, profiles: [Profile], keptCount: Int, heardCount: Int) {
        let band = profiles[0]
        precondition(
            profiles.allSatisfy { $0.lowestHertz == band.lowestHertz && $0.bandwidthHertz == band.bandwidthHertz },
            "profiles of one receiver share one band")
        let rateHertz = BasebandFormat.rateHertz(band)
        let reach = profiles.map { $0.maximumOffset * $0.highestHertz }.max() ?? 0
        downconverter = Downconverter(
            Downconverter.Design(
                inputRateHertz: sampleRateHertz, outputRateHertz: rateHertz, centreHertz: Int(band.centreHertz),
                passbandHertz: band.bandwidthHertz / 2 + reach))
        converted = [ComplexSample](repeating: ComplexSample(), count: downconverter.maximumOutputCount)
        history = BasebandHistory(keptCount: keptCount)
        heard = BasebandHistory(keptCount: heardCount)
        clock = InputClock(inputRateHertz: sampleRateHertz, basebandRateHertz: rateHertz)
        ringCount = SyncSearch.blockSymbolCount * BasebandFormat.longestSymbol(profiles)
        settledCount = keptCount + ringCount
    }

    /// Begins after `count` lost samples of baseband: the sound before the input is unknown, not silence. A whole
    /// number of rings, so that nothing else changes.
    mutating func begin(behindLost count: Int) {
        precondition(
            history.endIndex == 0 && count % ringCount == 0, "\(count) samples lost before \(history.endIndex)")
        history.appendLost(count)
        heard.appendLost(count)
        pilots.skip(count)
        clock.pass(-SampleIndex(count))
    }

    /// The maximum number of samples of the channel in one call of `take`.
    static var maximumBlock: Int { Downconverter.maximumInputCount }

    /// Converts the first channel of a block. All of the previous block must have been appended.
    mutating func take(_ block: SampleBlock) {
        let count = block.frameCount
        switch block.samples {
        case .floats(let first) where block.stride == 1:
            noteConverted(downconverter.process(UnsafeBufferPointer(start: first, count: count).span, into: &converted))
        case .integers(let first) where block.stride == 1:
            noteConverted(downconverter.process(UnsafeBufferPointer(start: first, count: count).span, into: &converted))
        case .floats(let first):
            Deinterleaving.copy(first, stride: block.stride, count: count, into: &floats)
            let own = floats
            noteConverted(downconverter.process(own.span.extracting(0..<count), into: &converted))
        case .integers(let first):
            Deinterleaving.copy(first, stride: block.stride, count: count, into: &integers)
            let own = integers
            noteConverted(downconverter.process(own.span.extracting(0..<count), into: &converted))
        }
    }

    /// Skips lost input samples.
    mutating func skip(_ sampleCount: SampleIndex) {
        waitingLostCount = downconverter.skip(sampleCount)
    }

    private mutating func noteConverted(_ count: Int) {
        // The filter extends into the hole.
        waitingLostCount = SampleIndex(downconverter.lostOutputCount)
        waiting = downconverter.lostOutputCount..<count
    }

    /// Appends waiting samples, up to the end of a quantum.
    /// - Returns: whether the histories end with a whole quantum now; false when no sample waits.
    mutating func appendQuantum() -> Bool {
        while waitingLostCount > 0 || !waiting.isEmpty {
            let missingCount = BasebandFormat.quantum - history.endIndex % BasebandFormat.quantum
            if waitingLostCount > 0 {
                appendLost(Int(min(SampleIndex(missingCount), waitingLostCount)))
            } else {
                append(min(missingCount, waiting.count))
            }
            if history.endIndex % BasebandFormat.quantum == 0 { return true }
        }
        return false
    }

    /// The number of waiting samples in whole quanta whose ends need no work: they end before `index`, and before
    /// `cancelPilots` has work. At least one quantum stays for `appendQuantum`.
    func idleCount(before index: Int) -> Int {
        let end = history.endIndex
        let isQuiet = waitingLostCount == 0 && pilots.count == 0 && end % BasebandFormat.quantum == 0
        guard isQuiet && history.lostTailCount == 0 else { return 0 }
        let limit = min(index, pilots.nextScanIndex(after: end))
        let wholeCount = waiting.count - waiting.count % BasebandFormat.quantum
        let count = max(0, min(limit - end, wholeCount) - 1)
        return count - count % BasebandFormat.quantum
    }

    /// Appends samples whose quanta need no work at their ends; see `idleCount`.
    mutating func appendIdle(_ count: Int) {
        if count > 0 { append(count) }
    }

    private mutating func append(_ count: Int) {
        let range = waiting.lowerBound..<waiting.lowerBound + count
        waiting = range.upperBound..<waiting.upperBound
        heard.append(converted, range)
        pilots.remove(from: &converted, range)
        history.append(converted, range)
    }

    private mutating func appendLost(_ count: Int) {
        waitingLostCount -= SampleIndex(count)
        history.appendLost(count)
        heard.appendLost(count)
        pilots.skip(count)
    }

    /// At the end of a quantum, tracks the known pilot tones and looks for others.
    /// - Returns: the index from which new pilot tones were removed from the history; nil if none was found.
    mutating func cancelPilots() -> Int? {
        pilots.finishQuantum(history)
    }

    /// Looks for swept tones, at the same times as for pilot tones.
    /// - Returns: the index from which a new sweep was removed from the history; nil if none was found.
    mutating func cancelSweeps() -> Int? {
        guard PilotScan.isDue(history), pilots.hearsLoudBin else { return nil }
        return sweeps.clean(history)
    }

    /// Call it at the end of a quantum in a hole so long that nothing changes any more. The indices do not advance,
    /// except for the part of the hole that is not a whole ring.
    /// - Returns: the number by which the histories' indices went back; nil if they did not.
    mutating func passOverHole() -> Int? {
        var rewound: Int?
        if history.lostTailCount >= settledCount + ringCount {
            history.rewind(ringCount)
            heard.rewind(ringCount)
            clock.pass(SampleIndex(ringCount))
            rewound = ringCount
        }
        if settledCount..<settledCount + BasebandFormat.quantum ~= history.lostTailCount {
            let rest = waitingLostCount % SampleIndex(ringCount)
            clock.pass(waitingLostCount - rest)
            waitingLostCount = rest
        }
        return rewound
    }
}
