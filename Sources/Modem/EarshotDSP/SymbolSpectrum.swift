import CEarshotKernels

/// The energies of all tones of eight symbols at once: a bank of matched filters by Fourier transform.
///
///     E[symbol][m] = scale[symbol]·|Σₙ x[symbol][n]·e^{−j2πf_m·n}|²,   f_m = (m − M/2 + ½)/N,   m = 0 ..< M = N/2
///
/// A vector holds one sample of all symbols. Tones are half a spacing beside the transform's points, at no extra cost;
/// see `BlockSpectrum`. No allocation after `init`.
public struct SymbolSpectrum: ~Copyable {
    /// The number of symbols.
    public static let symbolCount = Int(EARSHOT_SYMBOL_COUNT)

    /// N: the samples of a symbol, 32, 64 or 128.
    public let symbolLength: Int

    private let form: KernelForm
    private let turns: [ComplexSample]
    private var samples: [ComplexSample]

    /// Computes the factors. All samples start as zeros.
    public init(symbolLength: Int) {
        self.init(symbolLength: symbolLength, form: .best)
    }

    /// The same with kernels of one form.
    package init(symbolLength: Int, form: KernelForm) {
        precondition([32, 64, 128].contains(symbolLength), "a symbol of \(symbolLength) samples")
        self.symbolLength = symbolLength
        self.form = form
        turns = BlockSpectrum.turns(windowLength: symbolLength, lowestBin: 1 - symbolLength / 2)
        samples = [ComplexSample](repeating: ComplexSample(), count: SymbolSpectrum.symbolCount * symbolLength)
    }

    /// Lets `body` write x of one symbol; shape [N].
    public mutating func withSamples(ofSymbol symbol: Int, _ body: (inout MutableSpan<ComplexSample>) -> Void) {
        let length = symbolLength
        var all = samples.mutableSpan
        var own = all._mutatingExtracting(symbol * length..<(symbol + 1) * length)
        body(&own)
    }

    /// Measures E.
    /// - Parameters:
    ///   - scales: the scale of each symbol; shape [8].
    ///   - energies: receives E; shape [8][M].
    public borrowing func measure(scales: [Float], into energies: inout [Float]) {
        precondition(
            scales.count >= SymbolSpectrum.symbolCount && energies.count >= samples.count / 2,
            "\(scales.count) scales, \(energies.count) energies")
        let (number, length) = (form.number, symbolLength)
        samples.withUnsafeBufferPointer { samples in
            turns.withUnsafeBufferPointer { turns in
                earshot_tone_energies(
                    number, length, turns.baseAddress!.pairs, samples.baseAddress!.pairs, scales, &energies)
            }
        }
    }
}
