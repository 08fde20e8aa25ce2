import CEarshotKernels
import EarshotDSP
import RealModule

/// The level of the noise in one symbol, over the noise of its tones: an automatic gain or a noise suppressor's gate
/// changes it within a frame, for noise and signal alike.
///
///     l[k] = max(e^γ·exp(mean over m of ln x[k][m]), 0.01·Σ_m x[k][m]),   x[k][m] = E[k][m]/N[m]
///     g[k] = 2^beyond(log2 l[k])     see LevelTolerance; 1 where l < 2⁻¹⁰
///
/// At most one tone of a symbol is the talker's, which changes a geometric mean only slightly, and equally in every
/// symbol. The second term is that of `ToneMetrics.selfNoise`: in digital silence the tone's own side lobes are not
/// noise. A symbol 30 dB below the noise is a hole in the sound and not due to a gate: the ringing in it must not count
/// as much as a tone.
///
/// All tones of a symbol share g, so it does not change decisions between them; it changes the weight of each symbol.
/// Cost: a logarithm per tone, eight at a time.
enum SymbolLevel {
    /// log2 of the minimum noise level: a suppressor's gate closes by about 20 dB.
    private static let minimumBits: Float = -10

    /// 1/g[k].
    /// - Parameters:
    ///   - energies: E; M or more from `first` on.
    ///   - first: the place of the symbol's first energy.
    ///   - inverseNoise: 1/N; shape [M or more].
    ///   - toneCount: M, a multiple of 8.
    static func inverse(
        _ energies: Span<Float>, from first: Int, _ inverseNoise: Span<Float>, _ toneCount: Int
    ) -> Float {
        precondition(
            first >= 0 && first + toneCount <= energies.count && toneCount <= inverseNoise.count,
            "\(toneCount) tones from \(first) on, of \(energies.count)")
        let bits = energies.withUnsafeBufferPointer { energies in
            inverseNoise.withUnsafeBufferPointer {
                earshot_symbol_level(
                    energies.baseAddress! + first, $0.baseAddress!, toneCount,
                    ToneMetrics.selfNoise * Float(toneCount))
            }
        }
        let deviation = LevelTolerance.beyond(bits)
        return deviation == 0 || bits < minimumBits ? 1 : .exp2(-deviation)
    }
}
