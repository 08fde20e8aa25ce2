import EarshotCoding
import EarshotDSP

/// The tone energies of a frame, of all channels that hear it.
///
///     E[k][m] = N_b·x̂(Σ_a r_a·E_a[k][m]/N_a[m])
///
/// with the shares r of the frame's place, the noise N_a of each channel's search, b the best channel, and x̂ of `ChannelSum`:
/// energies as the best channel alone would have them if it heard so much better. For a channel alone E = E_b. A symbol that
/// another channel lost, or in which a frame was masked there, counts as noise's mean, E_a = N_a.
///
/// Cost: that of `ToneEnergies` for each channel with a share. No allocation after `init`.
struct ChannelEnergies: ~Copyable {
    private var tones: ToneEnergies
    private var sum = ChannelSum()
    private var others: [Float]
    private var bestInverse: [Float]
    private var inverse: [Float]

    init(format: BasebandFormat, channelCount: Int) {
        let toneCount = format.profile.toneCount
        let symbolCount = max(
            FrameLayout.longest.toneCount + ToneMetrics.echoSymbolCount, FrameLayout.token.toneCount)
        tones = ToneEnergies(format: format)
        others = [Float](repeating: 0, count: channelCount > 1 ? symbolCount * toneCount : 0)
        bestInverse = [Float](repeating: 0, count: toneCount)
        inverse = [Float](repeating: 0, count: toneCount)
    }

    /// Measures the symbols of a view; see `ToneEnergies.measure`.
    /// - Returns: the symbols that were lost.
    mutating func measure(_ view: FrameView, _ symbols: Range<Int>, into energies: inout [Float]) -> ErasedSymbols {
        let shares = view.place.shares
        let erased = measure(view, channel: shares.best, symbols, windowed: false, into: &energies)
        guard !shares.isAlone else { return erased }
        beginSum(view)
        for channel in view.histories.indices where channel != shares.best && shares.values[channel] > 0 {
            // Moved out of self, because another part of self is in use.
            var others = exchange(&others, with: [])
            let lost = measure(view, channel: channel, symbols, windowed: false, into: &others)
            self.others = others
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
            view.histories[shares.best], along: track, symbolCount: symbolCount, into: &energies)
        guard !shares.isAlone else { return erased }
        beginSum(view)
        for channel in view.histories.indices where channel != shares.best && shares.values[channel] > 0 {
            let lost = tones.measure(view.histories[channel], along: track, symbolCount: symbolCount, into: &others)
            add(view, channel, 0..<symbolCount, lost, to: &energies)
        }
        endSum(view, 0..<symbolCount, &energies)
        return erased
    }

    /// Measures the symbols of a view in one channel.
    /// - Returns: the symbols that were lost.
    @discardableResult
    mutating func measure(
        _ view: FrameView, channel: Int, _ symbols: Range<Int>, windowed: Bool, into energies: inout [Float]
    ) -> ErasedSymbols {
        tones.measure(
            view.histories[channel], start: view.place.start, offsetHertz: view.place.offsetHertz,
            firstSymbol: symbols.lowerBound, symbolCount: symbols.upperBound, windowed: windowed, into: &energies)
    }

    private mutating func beginSum(_ view: FrameView) {
        sum.prepare(view.place.shares, view.stages.coherence)
        view.writeInverseNoise(into: &bestInverse)
    }

    /// Adds a channel's energies, in units of the best channel's noise.
    /// - Parameter erased: the symbols that the channel lost.
    private mutating func add(
        _ view: FrameView, _ channel: Int, _ symbols: Range<Int>, _ erased: ErasedSymbols, to energies: inout [Float]
    ) {
        view.writeInverseNoise(ofChannel: channel, into: &inverse)
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
