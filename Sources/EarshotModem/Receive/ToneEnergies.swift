import EarshotDSP
import RealModule

/// The energy of every tone in every symbol of a frame, at a candidate's own time, frequency and symbol clock.
///
///     E[k][m] = |1/N · Σₙ x[s_k + n]·e^{−j2π(f_m + f)n}|²,   s_k = round(start + k·N')
///
/// The offset f and the half spacing by which tones sit between bins are mixed away, then one FFT of N points gives all
/// tones of a symbol at once: a bank of Goertzel filters by FFT. Cost: N products and one FFT a symbol.
///
/// With Hann's window instead of none, and without the tone itself, what is left of a strong signal's symbol is noise: its
/// side lobes and its steps at the edges are gone. That is what the SNR is measured against.
struct ToneEnergies: ~Copyable {
    /// The power that Hann's window leaves of noise: the mean of sin⁴.
    static let windowedNoisePower: Float = 0.375

    private let format: BasebandFormat
    private let window: [Float]
    private var mixer: ToneCorrelator
    private var transform: FFTPlan
    /// The symbols of the last measurement of which more than three quarters were lost.
    private(set) var erased = SymbolSet()

    init(format: BasebandFormat) {
        self.format = format
        mixer = ToneCorrelator(length: format.samplesPerSymbol)
        let length = format.samplesPerSymbol
        transform = FFTPlan(length: length)
        window = (0..<length).map { 0.5 - 0.5 * .cos(2 * .pi * (Float($0) + 0.5) / Float(length)) }
    }

    /// Measures `symbolCount` symbols; those that the history does not hold count as silence. Those of which a part was lost
    /// are scaled so that noise keeps its mean, and erased where less than a quarter is held.
    /// - Parameters:
    ///   - windowed: with Hann's window.
    ///   - energies: receives E; shape [symbolCount or more][M].
    mutating func measure(
        _ history: borrowing BasebandHistory, start: Double, offsetHertz: Float, firstSymbol: Int = 0, symbolCount: Int,
        windowed: Bool = false, into energies: inout [Float]
    ) {
        let symbolLength = format.symbolLength(offsetHertz: offsetHertz)
        erased = SymbolSet()
        tune(offsetHertz: offsetHertz)
        for symbol in firstSymbol..<symbolCount {
            let first = Int((start + Double(symbol) * symbolLength).rounded())
            measureSymbol(symbol, history, from: first, windowed: windowed, into: &energies)
        }
    }

    /// Measures `symbolCount` symbols of a frame whose offset changes.
    mutating func measure(
        _ history: borrowing BasebandHistory, along track: borrowing MotionTrack, symbolCount: Int,
        into energies: inout [Float]
    ) {
        erased = SymbolSet()
        for symbol in 0..<symbolCount {
            tune(offsetHertz: track.offsetsHertz[symbol])
            let first = Int(track.starts[symbol].rounded())
            measureSymbol(symbol, history, from: first, windowed: false, into: &energies)
        }
    }

    private mutating func tune(offsetHertz: Float) {
        mixer.tune(
            cyclesPerSample: format.cyclesPerSample(offsetHertz: offsetHertz) + 0.5 / Float(format.samplesPerSymbol))
    }

    private mutating func measureSymbol(
        _ symbol: Int, _ history: borrowing BasebandHistory, from first: Int, windowed: Bool,
        into energies: inout [Float]
    ) {
        let toneCount = format.profile.toneCount
        let length = format.samplesPerSymbol
        let base = symbol * toneCount
        guard history.holds(from: first, count: length) else {
            for tone in 0..<toneCount {
                energies[base + tone] = 0
            }
            return
        }
        let heldShare = history.heldShare(from: first, count: length)
        if heldShare < NoiseFloor.leastHeldShare {
            erased.insert(symbol)
        }
        let scale = heldShare < NoiseFloor.leastHeldShare ? 0 : 1 / (heldShare * Float(length * length))
        history.withSamples(from: first, count: length) { samples in
            transform.withInput { input in
                mixer.mix(samples, into: &input)
                if windowed {
                    for n in 0..<length {
                        input[n] *= window[n]
                    }
                }
            }
        }
        transform.execute()
        transform.withOutput { spectrum in
            // Tone m is bin m − M/2, modulo N = 2M.
            for tone in 0..<toneCount / 2 {
                energies[base + tone] = scale * spectrum[length - toneCount / 2 + tone].power
                energies[base + toneCount / 2 + tone] = scale * spectrum[tone].power
            }
        }
    }
}
