import EarshotDSP

/// From input samples to the baseband's history, in quanta of 32 samples.
///
/// 1. `take` or `skip`: the downconverter makes baseband of the input, or notes how much of it is lost.
/// 2. `appendQuantum`: the histories take what is still missing of a quantum; `history` without the known pilot tones.
/// 3. `cancelPilots`: looks for pilot tones where a quantum ends.
/// 4. `passOverHole`: in a long hole the indices stand still.
///
/// What is decided at a quantum's end therefore does not depend on the blocks in which the input comes. No allocation after
/// `init`.
struct BasebandInput: ~Copyable {
    /// The latest seconds of baseband, without pilot tones and without the frames that were cancelled.
    let history: BasebandHistory
    /// The latest second or more as it was heard, before anything is taken out of it; see `BandMeter`, `TokenRecognition`.
    let heard: BasebandHistory
    /// Where the baseband lies in the input.
    private(set) var clock: InputClock
    private(set) var pilots = PilotCanceller()
    private var sweeps = SweepCanceller()

    private var downconverter: Downconverter
    private var converted: [ComplexSample]
    /// The channel's samples, taken out of interleaved ones.
    private var floats = [Float](repeating: 0, count: maximumBlock)
    private var integers = [Int16](repeating: 0, count: maximumBlock)
    /// What of `converted` waits to be appended.
    private var waiting = 0..<0
    /// Lost samples that wait to be appended, before `waiting`.
    private var waitingLostCount: SampleIndex = 0
    /// Behind so many lost baseband samples all that came before is decided and nothing of it is looked at any more.
    private let settledCount: Int
    /// So many more, or a multiple, change nothing but the time: whole blocks of the longest search.
    private let ringCount: Int

    /// - Parameters:
    ///   - profiles: those of the receiver; they share one band.
    ///   - keptCount: how many samples `history` keeps.
    ///   - heardCount: how many samples `heard` keeps.
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

    /// Begins behind `count` samples of baseband that were lost: what sounded before the input did was not silence. A whole
    /// number of rings, so that nothing else changes.
    mutating func begin(behindLost count: Int) {
        precondition(
            history.endIndex == 0 && count % ringCount == 0, "\(count) samples lost before \(history.endIndex)")
        history.appendLost(count)
        heard.appendLost(count)
        pilots.skip(count)
        clock.pass(-SampleIndex(count))
    }

    /// The most samples of the channel that one call of `take` takes.
    static var maximumBlock: Int { Downconverter.maximumInputCount }

    /// Converts the first channel of a block, after all of the block before was appended.
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

    /// Passes over input samples that were lost.
    mutating func skip(_ sampleCount: SampleIndex) {
        waitingLostCount = downconverter.skip(sampleCount)
    }

    private mutating func noteConverted(_ count: Int) {
        // The filter reaches into the hole.
        waitingLostCount = SampleIndex(downconverter.lostOutputCount)
        waiting = downconverter.lostOutputCount..<count
    }

    /// Appends what waits, up to the end of a quantum.
    /// - Returns: whether the histories end with a whole quantum now; false when nothing waits any more.
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

    /// The number of waiting samples, in whole quanta, with nothing to do where these quanta end: they end before `index`, and
    /// before `cancelPilots` has something to do. One quantum at least stays for `appendQuantum`.
    func idleCount(before index: Int) -> Int {
        let end = history.endIndex
        let isQuiet = waitingLostCount == 0 && pilots.count == 0 && end % BasebandFormat.quantum == 0
        guard isQuiet && history.lostTailCount == 0 else { return 0 }
        let limit = min(index, pilots.nextScanIndex(after: end))
        let wholeCount = waiting.count - waiting.count % BasebandFormat.quantum
        let count = max(0, min(limit - end, wholeCount) - 1)
        return count - count % BasebandFormat.quantum
    }

    /// Appends samples at whose quanta's ends there is nothing to do; see `idleCount`.
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

    /// Follows the known pilot tones and looks for others, at the end of a quantum.
    /// - Returns: the index from which on the history is without pilot tones that were found now; nil where none was.
    mutating func cancelPilots() -> Int? {
        pilots.finishQuantum(history)
    }

    /// Looks for swept tones where pilot tones are looked for too.
    /// - Returns: the index from which on the history is without a sweep that was found now; nil where none was.
    mutating func cancelSweeps() -> Int? {
        guard PilotScan.isDue(history), pilots.hearsLoudBin else { return nil }
        return sweeps.clean(history)
    }

    /// At the end of a quantum in a hole so long that nothing changes any more: the indices stand still, but for the part of the
    /// hole that fills no whole ring.
    /// - Returns: by how much the histories' indices went back; nil where they did not.
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
