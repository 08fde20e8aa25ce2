import EarshotCoding
import EarshotDSP
import RealModule

/// Recognises tokens that were decoded recently and cannot be decoded now: if all tones of a frame are known, far less
/// of it is needed than to determine 64 bits.
///
///     z = Σ_k a(r_k) / √(K·v),   a(r) = Σ_{j=r…M} 1/j − 1,   v = mean over r of a(r)²
///
/// r_k is the rank of the expected tone's energy among the M of its symbol, 1 for the loudest, and k goes over the K
/// symbols of a frame that were not lost. If a token is not on the air, its ranks are random, regardless of the number
/// and level of other frames: z has mean 0 and deviation 1. All starts are tried, four per symbol, in the unchanged
/// baseband: ranks tolerate a louder frame, while cancelling it would also damage the quieter ones.
///
/// All frames have the sync pattern in common, so its ranks are not random at the start of another frame. Therefore z
/// of the data tones alone has its own minimum.
///
/// A recognised token is not a decoded one: no check excludes another token. The opt-in is for callers that want to
/// know whether a device is still there. So a token can be recognised for a minute after it was last decoded, and
/// recognition does not prolong that.
///
/// With several channels each is examined separately.
///
/// Cost of a start, of which there are four per symbol: four FFTs of N points, 4·M² comparisons, and 44 additions per
/// token; nothing while no token is known. No allocation after `init`.
struct TokenRecognition: ~Copyable {
    /// The maximum number of known tokens; a new one replaces the one decoded longest ago.
    static let capacity = 64
    /// The minimum z of a recognised token: in 40 minutes of ten devices' air, 9 million starts and tokens, 16 false
    /// ones had 6 and more, none 7 (theory for a sum of exponentials, which has a longer tail than these bounded ones:
    /// one in a million).
    static let minimumScore: Float = 7
    /// The minimum z of the data tones of a recognised token. At the start of another frame, the sync pattern lifts z
    /// of every known token to 3.0 in `fast`, 3.6 in `standard` and 4.3 in `far`. With `minimumScore` alone a silent
    /// token was recognised in 6·10⁻⁵, 6·10⁻⁴ and 3·10⁻³ of such places. Chance lifts the data tones above 5.5 in
    /// 5·10⁻⁷ to 1.3·10⁻⁶ of them (simulated ranks, and their saddlepoint approximation). Of tokens so quiet that 84 to
    /// 93 % are recognised, at most 0.2 % more are missed.
    static let minimumDataScore: Float = 5.5
    /// The time for which a token can be recognised, in seconds.
    static let memorySeconds = 60
    /// The starts tried together, in symbols. A frame is examined with this delay.
    static let strideCount = 16
    /// An additional wait in symbols, within which most frames are decoded: 133 ms of `fast`.
    static let waitCount = 12
    private static let minimumHeldShare = 0.7
    private static let phaseCount = 4
    private static let symbolCount = FrameLayout.token.toneCount

    /// A recognised token.
    struct Found {
        var payload: Payload
        /// In baseband samples.
        var start: Double
        /// A token's length without offset, in baseband samples.
        var length: Double
        /// The channel where it fits best.
        var channel = 0
        var snrDecibels: Float

        /// The frame that the receiver reports.
        func received(_ profile: Profile, _ clock: InputClock) -> ReceivedFrame {
            ReceivedFrame(
                payload: payload, profileName: profile.name, startSample: clock.inputSample(start),
                endSample: clock.inputSample(start + length), offsetHertz: 0, snrDecibels: snrDecibels, pathMetric: 0,
                channel: channel, isRecognised: true)
        }
    }

    /// A recently decoded token, and its fit to the examined starts.
    private struct Known {
        var payload: Payload
        var heardIndex: Int
        /// The best z of the starts tried.
        var score: Float = 0
        var start = 0.0
        var channel = 0
    }

    private let format: BasebandFormat
    private let profileIndex: Int
    /// The recently recognised frames: each is reported once.
    private var recognised = RecentFrames()
    private var energies: ToneEnergies
    private var known: [Known] = []
    /// The known tokens' tones; shape [capacity][52].
    private var tones: [Int]
    /// a(r), shape [M], and its deviation.
    private let rankScores: [Float]
    private let deviation: Float
    private var cells: [Float]
    private var scores: [Float]
    /// The first start that has not been tried yet.
    private var nextStart = 0

    /// - Parameter profileIndex: the index of the profile among the receiver's.
    init(_ format: BasebandFormat, profileIndex: Int = 0) {
        self.format = format
        self.profileIndex = profileIndex
        energies = ToneEnergies(format: format)
        let toneCount = format.profile.toneCount
        rankScores = Self.rankScores(toneCount: toneCount)
        deviation = (rankScores.map { $0 * $0 }.reduce(0, +) / Float(toneCount)).squareRoot()
        cells = [Float](repeating: 0, count: (Self.symbolCount + Self.strideCount) * toneCount)
        scores = cells
        tones = [Int](repeating: 0, count: Self.capacity * Self.symbolCount)
        known.reserveCapacity(Self.capacity)
    }

    /// a(r), from r = 1 on.
    static func rankScores(toneCount: Int) -> [Float] {
        (1...toneCount).map { rank in (rank...toneCount).map { 1 / Float($0) }.reduce(0, +) - 1 }
    }

    /// The number of the latest samples that it needs.
    static func keptCount(_ format: BasebandFormat) -> Int {
        (symbolCount + 2 * strideCount + waitCount + 2) * format.samplesPerSymbol
    }

    /// A token's length without offset, in baseband samples.
    var frameLength: Double { Double(Self.symbolCount * format.samplesPerSymbol) }

    /// The number of known tokens.
    var knownCount: Int { known.count }

    /// Records that a token was decoded in this profile.
    mutating func note(_ payload: Payload, tones frame: [Int], at index: Int) {
        guard payload.count == Payload.tokenCount else { return }
        let place: Int
        if let old = known.firstIndex(where: { $0.payload == payload }) {
            place = old
        } else if known.count < Self.capacity {
            place = known.count
            known.append(Known(payload: payload, heardIndex: index))
        } else {
            place = known.indices.min { known[$0].heardIndex < known[$1].heardIndex }!
        }
        known[place] = Known(payload: payload, heardIndex: index)
        for (symbol, tone) in frame.enumerated() { tones[place * Self.symbolCount + symbol] = tone }
    }

    /// Moves the indices back with the history's; see `BasebandHistory.rewind`.
    mutating func rewind(_ count: Int) {
        nextStart -= count
        for place in known.indices { known[place].heardIndex -= count }
    }

    /// Tries the next starts, if a frame from there would have ended.
    /// - Parameters:
    ///   - heard: the unchanged baseband of each channel, with all frames in it.
    ///   - decoded: the recently decoded frames, which are not reported again.
    ///   - onToken: receives each recognised token.
    mutating func look(_ heard: ChannelHistories, besides decoded: RecentFrames, onToken: (Found) -> Void) {
        let length = format.samplesPerSymbol
        let stride = Self.strideCount * length
        let end = heard.endIndex - (Self.symbolCount + Self.waitCount) * length
        guard end - nextStart >= stride else { return }
        // Older samples are lost.
        if end - nextStart > 2 * stride { nextStart = end - stride }
        defer { nextStart += stride }
        forget(before: heard.endIndex - Self.memorySeconds * format.rateHertz)
        guard !known.isEmpty else { return }
        for place in known.indices { known[place].score = 0 }
        for phase in 0..<Self.phaseCount {
            let start = nextStart + phase * length / Self.phaseCount
            for channel in heard.indices {
                let erased = energies.measure(
                    heard[channel], start: Double(start), offsetHertz: 0,
                    symbolCount: Self.symbolCount + Self.strideCount, into: &cells)
                scoreCells(erased)
                scoreStarts(from: start, channel, erased)
            }
        }
        for place in known.indices where known[place].score >= Self.minimumScore {
            let (payload, start, channel) = (known[place].payload, known[place].start, known[place].channel)
            let length = frameLength
            guard !decoded.contains(payload, profileIndex: profileIndex, start: start, length: length),
                recognised.insert(payload, profileIndex: profileIndex, start: start, length: length)
            else { continue }
            onToken(
                Found(
                    payload: payload, start: start, length: length, channel: channel,
                    snrDecibels: snrDecibels(place, start: start, heard[channel])))
        }
    }

    /// 10·log₁₀((E̅/N − 1)/M): E̅ is the mean energy of the token's tones, and N that of noise by the median of all cells,
    /// which other frames on the air increase.
    private mutating func snrDecibels(_ place: Int, start: Double, _ heard: BasebandHistory) -> Float {
        let toneCount = format.profile.toneCount
        energies.measure(heard, start: start, offsetHertz: 0, symbolCount: Self.symbolCount, into: &cells)
        var energy: Float = 0
        for symbol in 0..<Self.symbolCount {
            energy += cells[symbol * toneCount + tones[place * Self.symbolCount + symbol]]
        }
        var all = cells.mutableSpan
        var values = all._mutatingExtracting(0..<Self.symbolCount * toneCount)
        let noise = max(select(values.count / 2, of: &values) / noiseQuantile(0.5), NoiseFloor.minimumPower)
        let ratio = energy / Float(Self.symbolCount) / noise - 1
        return 10 * .log10(max(ratio, 0.01) / Float(toneCount))
    }

    private mutating func forget(before index: Int) {
        var place = 0
        while place < known.count {
            guard known[place].heardIndex < index else {
                place += 1
                continue
            }
            known[place] = known[known.count - 1]
            for symbol in 0..<Self.symbolCount {
                tones[place * Self.symbolCount + symbol] = tones[(known.count - 1) * Self.symbolCount + symbol]
            }
            known.removeLast()
        }
    }

    /// Computes a(r) of all cells; 0 for lost symbols.
    private mutating func scoreCells(_ erased: ErasedSymbols) {
        let toneCount = format.profile.toneCount
        for symbol in 0..<Self.symbolCount + Self.strideCount {
            let first = symbol * toneCount
            let isErased = erased.contains(symbol)
            for tone in 0..<toneCount {
                scores[first + tone] = isErased ? 0 : score(of: first + tone, among: first..<first + toneCount)
            }
        }
    }

    /// a(r) of a cell; for several equal ones, as in digital silence, by the mean of their ranks.
    private func score(of cell: Int, among row: Range<Int>) -> Float {
        let own = cells[cell]
        var (louderCount, equalCount) = (0, 0)
        for other in row {
            louderCount += cells[other] > own ? 1 : 0
            equalCount += cells[other] == own ? 1 : 0
        }
        var sum: Float = 0
        for rank in louderCount..<louderCount + max(equalCount, 1) { sum += rankScores[rank] }
        return sum / Float(max(equalCount, 1))
    }

    private mutating func scoreStarts(from start: Int, _ channel: Int, _ erased: ErasedSymbols) {
        let toneCount = format.profile.toneCount
        for offset in 0..<Self.strideCount {
            let heldCount = erased.heldCount(offset..<offset + Self.symbolCount)
            guard Double(heldCount) >= Self.minimumHeldShare * Double(Self.symbolCount) else { continue }
            let heldDataCount = (0..<FrameLayout.token.dataToneCount).count {
                !erased.contains(offset + FrameLayout.token.dataPlace($0))
            }
            let scale = 1 / (deviation * Float(heldCount).squareRoot())
            let dataScale = 1 / (deviation * Float(heldDataCount).squareRoot())
            var syncSum: Float = 0
            for (index, tone) in format.profile.syncTones.enumerated() {
                syncSum += scores[(offset + FrameLayout.syncPlace(index)) * toneCount + tone]
            }
            for place in known.indices {
                var dataSum: Float = 0
                for step in 0..<FrameLayout.token.dataToneCount {
                    let symbol = FrameLayout.token.dataPlace(step)
                    dataSum += scores[(offset + symbol) * toneCount + tones[place * Self.symbolCount + symbol]]
                }
                let score = (syncSum + dataSum) * scale
                if score > known[place].score, dataSum * dataScale >= Self.minimumDataScore {
                    known[place].score = score
                    known[place].start = Double(start + offset * format.samplesPerSymbol)
                    known[place].channel = channel
                }
            }
        }
    }
}
