import EarshotCoding
import EarshotDSP

/// Measures frames of one profile: the tone energies of all channels that hear them, and the noise.
///
///     E[k][m] = N_b·x̂(Σ_a r_a·E_a[k][m]/N_a[m])
///
/// with the shares r of the frame's place, the noise N_a of each channel's search, b the best channel, and x̂ of
/// `ChannelSum`: the energies of the best channel if its reception were better by that much. For a single channel E =
/// E_b. A symbol that another channel lost, or in which a frame was masked there, counts as the mean of noise, E_a =
/// N_a.
///
/// Cost: that of `ToneEnergies` for each channel with a share. No allocation after `init`.
struct FrameMeasurer: ~Copyable {
    let format: BasebandFormat
    /// The baseband of all channels.
    let histories: ChannelHistories
    private let noise: ProfileNoise
    private var tones: ToneEnergies
    private var sum = ChannelSum()
    private var others: [Float]
    private var bestInverse: [Float]
    private var inverse: [Float]

    /// Creates a measurer of frames in this baseband, with the noise that the search finds there.
    init(format: BasebandFormat, histories: ChannelHistories, noise: ProfileNoise) {
        self.format = format
        self.histories = histories
        self.noise = noise
        let toneCount = format.profile.toneCount
        let symbolCount = max(
            FrameLayout.longest.toneCount + ToneMetrics.echoSymbolCount, FrameLayout.token.toneCount)
        tones = ToneEnergies(format: format)
        others = [Float](repeating: 0, count: histories.count > 1 ? symbolCount * toneCount : 0)
        bestInverse = [Float](repeating: 0, count: toneCount)
        inverse = [Float](repeating: 0, count: toneCount)
    }

    /// Measures `symbols` of a view, counted from the frame's first, in all channels that have a share; see
    /// `ToneEnergies.measure`.
    /// - Returns: the symbols that were lost.
    @discardableResult
    mutating func measure(_ view: FrameView, _ symbols: Range<Int>, into energies: inout [Float]) -> ErasedSymbols {
        let shares = view.place.shares
        let erased = measure(view, ofChannel: shares.best, symbols, into: &energies)
        guard !shares.isAlone else { return erased }
        beginSum(view)
        for channel in histories.indices where channel != shares.best && shares.values[channel] > 0 {
            let lost = FrameMeasurer.measure(&tones, histories[channel], view, symbols, into: &others)
            add(view, channel, symbols, lost, to: &energies)
        }
        endSum(view, symbols, &energies)
        return erased
    }

    /// Measures `symbolCount` symbols of a view along a track of offsets.
    /// - Returns: the symbols that were lost.
    mutating func measure(
        _ view: FrameView, along track: borrowing MotionTrack, symbolCount: Int, into energies: inout [Float]
    ) -> ErasedSymbols {
        let shares = view.place.shares
        let erased = tones.measure(
            histories[shares.best], along: track, symbolCount: symbolCount, into: &energies)
        guard !shares.isAlone else { return erased }
        beginSum(view)
        for channel in histories.indices where channel != shares.best && shares.values[channel] > 0 {
            let lost = tones.measure(histories[channel], along: track, symbolCount: symbolCount, into: &others)
            add(view, channel, 0..<symbolCount, lost, to: &energies)
        }
        endSum(view, 0..<symbolCount, &energies)
        return erased
    }

    /// Measures the symbols of a view in one channel, with Hann's window if `windowed`.
    /// - Returns: the symbols that were lost.
    @discardableResult
    mutating func measure(
        _ view: FrameView, ofChannel channel: Int, _ symbols: Range<Int>, windowed: Bool = false,
        into energies: inout [Float]
    ) -> ErasedSymbols {
        FrameMeasurer.measure(&tones, histories[channel], view, symbols, windowed: windowed, into: &energies)
    }

    private static func measure(
        _ tones: inout ToneEnergies, _ history: BasebandHistory, _ view: FrameView, _ symbols: Range<Int>,
        windowed: Bool = false, into energies: inout [Float]
    ) -> ErasedSymbols {
        tones.measure(
            history, view.place, firstSymbol: symbols.lowerBound, symbolCount: symbols.upperBound, windowed: windowed,
            into: &energies)
    }

    // MARK: Noise

    /// Writes 1/noise power of each tone in the best channel, at the place's offset; see `BandNoise.writeInverses`.
    func writeInverseNoise(_ view: FrameView, into inverses: inout [Float]) {
        writeInverseNoise(view, ofChannel: view.place.shares.best, into: &inverses)
    }

    /// The same in any channel.
    func writeInverseNoise(_ view: FrameView, ofChannel channel: Int, into inverses: inout [Float]) {
        noise.channels[channel].writeInverses(offsetHertz: view.place.offsetHertz, into: &inverses)
    }

    // MARK: The sum over channels

    private mutating func beginSum(_ view: FrameView) {
        sum.prepare(view.place.shares, noise.coherence)
        let (best, offsetHertz) = (view.place.shares.best, view.place.offsetHertz)
        noise.channels[best].writeInverses(offsetHertz: offsetHertz, into: &bestInverse)
    }

    /// Adds a channel's energies, in units of the best channel's noise.
    /// - Parameter erased: the symbols that the channel lost.
    private mutating func add(
        _ view: FrameView, _ channel: Int, _ symbols: Range<Int>, _ erased: ErasedSymbols, to energies: inout [Float]
    ) {
        noise.channels[channel].writeInverses(offsetHertz: view.place.offsetHertz, into: &inverse)
        let (toneCount, share) = (view.profile.toneCount, view.place.shares.values[channel])
        for tone in 0..<toneCount {
            inverse[tone] = bestInverse[tone] > 0 ? share * inverse[tone] / bestInverse[tone] : 0
        }
        var all = energies.mutableSpan
        for symbol in symbols {
            let row = symbol * toneCount..<(symbol + 1) * toneCount
            let (scales, terms) = (inverse.span.extracting(0..<toneCount), others.span.extracting(row))
            var target = all._mutatingExtracting(row)
            if erased.contains(symbol) {
                for tone in 0..<toneCount where bestInverse[tone] > 0 { target[tone] += share / bestInverse[tone] }
                continue
            }
            for tone in 0..<toneCount {
                target[tone] += scales[tone] * terms[tone]
            }
        }
    }

    /// Gives the sums the statistics of one channel.
    private mutating func endSum(_ view: FrameView, _ symbols: Range<Int>, _ energies: inout [Float]) {
        let toneCount = view.profile.toneCount
        var all = energies.mutableSpan
        var range = all._mutatingExtracting(symbols.lowerBound * toneCount..<symbols.upperBound * toneCount)
        sum.makeEquivalent(&range, inverseNoise: bestInverse, toneCount: toneCount)
    }
}
