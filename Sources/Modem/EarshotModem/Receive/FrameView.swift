import EarshotCoding

/// One view of a frame that may be on the air: its place, its layout, the stages that measure it, and the baseband.
struct FrameView {
    /// The frame's start and frequency offset.
    var place: Candidate
    /// The number and kind of its tones.
    let layout: FrameLayout
    /// The stages of its profile.
    let stages: ProfileStages
    /// The baseband of all channels.
    let histories: ChannelHistories

    var profile: Profile { stages.profile }
    var format: BasebandFormat { stages.format }
    /// The samples from one symbol's start to the next one's, at the place's offset.
    var symbolLength: Double { format.symbolLength(offsetHertz: place.offsetHertz) }

    /// The samples from the frame's start to its end.
    var length: Double { Double(layout.toneCount) * symbolLength }

    /// The frame `index` burst spacings later, in a burst that begins with this one.
    func burstFrame(_ index: Int) -> FrameView {
        moved(by: Double(index * FrameLayout.burstSpacingToneCount) * symbolLength)
    }

    /// The same frame at another place.
    func at(_ place: Candidate) -> FrameView {
        var view = self
        view.place = place
        return view
    }

    /// The same frame, `samples` later and `offsetHertz` higher.
    func moved(by samples: Double, offsetHertz: Float = 0) -> FrameView {
        var view = self
        view.place.start += samples
        view.place.offsetHertz += offsetHertz
        return view
    }

    /// Measures the energies of `symbols`, counted from the frame's first, in all channels that have a share; see
    /// `ChannelEnergies`.
    /// - Parameters:
    ///   - symbols: the symbols to measure.
    ///   - energies: receives E; shape [symbols.upperBound or more][M].
    /// - Returns: the symbols that were lost.
    @discardableResult
    func measureEnergies(_ symbols: Range<Int>, into energies: inout [Float]) -> ErasedSymbols {
        stages.energies.measure(self, symbols, into: &energies)
    }

    /// The same in one channel, with Hann's window if `windowed`.
    @discardableResult
    func measureEnergies(
        ofChannel channel: Int, _ symbols: Range<Int>, windowed: Bool = false, into energies: inout [Float]
    ) -> ErasedSymbols {
        stages.energies.measure(self, channel: channel, symbols, windowed: windowed, into: &energies)
    }

    /// Writes 1/noise power of each tone in the best channel, at the place's offset; see `BandNoise.writeInverses`.
    func writeInverseNoise(into inverses: inout [Float]) {
        writeInverseNoise(ofChannel: place.shares.best, into: &inverses)
    }

    /// The same in any channel.
    func writeInverseNoise(ofChannel channel: Int, into inverses: inout [Float]) {
        stages.channels[channel].noise.writeInverses(offsetHertz: place.offsetHertz, into: &inverses)
    }
}
