import EarshotDSP
import RealModule

/// The energy of every tone in every symbol of a frame, at a candidate's own time, frequency and symbol clock.
///
///     E[k][m] = |1/N · Σₙ x[s_k + n]·e^{−j2π(f_m + f)n}|²,   s_k = round(start + k·N')
///
/// The offset f is mixed away; `SymbolSpectrum` then gives all tones of eight symbols at once. Cost: N products and one FFT a
/// symbol.
///
/// With Hann's window, a strong signal's symbol without its tone is noise: the window removes the side lobes and the
/// steps at the edges. The SNR is measured against this noise.
struct ToneEnergies: ~Copyable {
    /// The number of symbols transformed in one run.
    static let batchCount = SymbolSpectrum.symbolCount

    private let format: BasebandFormat
    private let window: [Float]
    private var mixer: ToneCorrelator
    /// The offset and window to which the mixer is tuned.
    private var tuning: (offsetHertz: Float, windowed: Bool)?
    private var transform: SymbolSpectrum
    /// The energies of the symbols in a batch.
    private var batch: [Float]
    /// The scale of the energies of each symbol in a batch.
    private var scales = [Float](repeating: 0, count: batchCount)

    init(format: BasebandFormat) {
        self.format = format
        mixer = ToneCorrelator(length: format.samplesPerSymbol)
        let length = format.samplesPerSymbol
        transform = SymbolSpectrum(symbolLength: length)
        batch = [Float](repeating: 0, count: ToneEnergies.batchCount * format.profile.toneCount)
        window = hannWindow(count: length).map { Float($0) }
    }

    /// Measures the symbols from `firstSymbol` to below `symbolCount`; symbols that the history does not have count as
    /// silence. If a part of a symbol was lost, its energies are scaled so that noise keeps its mean; if less than a
    /// quarter is held, the symbol is erased.
    /// - Parameters:
    ///   - history: the baseband.
    ///   - start: the frame's first sample, a baseband index.
    ///   - offsetHertz: f.
    ///   - firstSymbol: the first symbol to measure.
    ///   - symbolCount: the number after the last symbol to measure.
    ///   - windowed: whether to use Hann's window.
    ///   - energies: receives E; shape [symbolCount or more][M].
    /// - Returns: the erased symbols.
    @discardableResult
    mutating func measure(
        _ history: BasebandHistory, start: Double, offsetHertz: Float, firstSymbol: Int = 0, symbolCount: Int,
        windowed: Bool = false, into energies: inout [Float]
    ) -> ErasedSymbols {
        measure(
            history, Candidate(start: start, offsetHertz: offsetHertz, score: 0), firstSymbol: firstSymbol,
            symbolCount: symbolCount, windowed: windowed, into: &energies)
    }

    /// The same at a place, whose offset may drift.
    @discardableResult
    mutating func measure(
        _ history: BasebandHistory, _ place: Candidate, firstSymbol: Int = 0, symbolCount: Int, windowed: Bool = false,
        into energies: inout [Float]
    ) -> ErasedSymbols {
        let (start, symbolLength) = (place.start, format.symbolLength(offsetHertz: place.offsetHertz))
        var erased = ErasedSymbols()
        for batch in stride(from: firstSymbol, to: symbolCount, by: ToneEnergies.batchCount) {
            let symbols = batch..<min(batch + ToneEnergies.batchCount, symbolCount)
            for symbol in symbols {
                tune(offsetHertz: place.offsetHertz(atSymbol: symbol), windowed: windowed)
                if mix(symbol - batch, history, from: start + Double(symbol) * symbolLength) {
                    erased.insert(symbol)
                }
            }
            transformBatch(symbols, into: &energies)
        }
        return erased
    }

    /// Measures `symbolCount` symbols of a frame along a track of offsets.
    /// - Returns: the erased symbols.
    mutating func measure(
        _ history: BasebandHistory, along track: borrowing MotionTrack, symbolCount: Int,
        into energies: inout [Float]
    ) -> ErasedSymbols {
        var erased = ErasedSymbols()
        for batch in stride(from: 0, to: symbolCount, by: ToneEnergies.batchCount) {
            let symbols = batch..<min(batch + ToneEnergies.batchCount, symbolCount)
            for symbol in symbols {
                tune(offsetHertz: track.offsetsHertz[symbol], windowed: false)
                if mix(symbol - batch, history, from: track.starts[symbol]) { erased.insert(symbol) }
            }
            transformBatch(symbols, into: &energies)
        }
        return erased
    }

    private mutating func tune(offsetHertz: Float, windowed: Bool) {
        if let tuning, tuning == (offsetHertz, windowed) { return }
        tuning = (offsetHertz, windowed)
        mixer.tune(cyclesPerSample: format.cyclesPerSample(offsetHertz: offsetHertz))
        if windowed {
            let window = window
            mixer.weigh(by: window.span)
        }
    }

    /// Writes a mixed symbol to its place in the batch.
    /// - Returns: whether it is erased because too much of it was lost.
    private mutating func mix(_ place: Int, _ history: BasebandHistory, from start: Double) -> Bool {
        let (first, length) = (Int(start.rounded()), format.samplesPerSymbol)
        guard history.holds(from: first, count: length) else {
            // The old samples in its place are finite.
            scales[place] = 0
            return false
        }
        let heldShare = history.heldShare(from: first, count: length)
        let isErased = heldShare < NoiseFloor.minimumHeldShare
        scales[place] = isErased ? 0 : 1 / (heldShare * Float(length * length))
        history.withSamples(from: first, count: length) { samples in
            transform.withSamples(ofSymbol: place) { mixer.mix(samples, into: &$0) }
        }
        return isErased
    }

    /// Energies of the symbols in the batch.
    private mutating func transformBatch(_ symbols: Range<Int>, into energies: inout [Float]) {
        let toneCount = format.profile.toneCount
        precondition(symbols.upperBound * toneCount <= energies.count, "\(symbols) of \(energies.count) energies")
        transform.measure(scales: scales, into: &batch)
        let first = symbols.lowerBound * toneCount
        var target = energies.mutableSpan
        for index in 0..<symbols.count * toneCount {
            target[first + index] = batch[index]
        }
    }
}
