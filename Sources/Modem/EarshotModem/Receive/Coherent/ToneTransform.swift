import EarshotCoding
import EarshotDSP

/// The correlations of one symbol's samples with all tones, at a replica's phases.
struct ToneTransform: ~Copyable {
    private var transform: FFTPlan
    private var products: [ComplexSample]

    init(format: BasebandFormat) {
        transform = FFTPlan(length: format.samplesPerSymbol, hasInverse: false)
        products = [ComplexSample](repeating: ComplexSample(), count: format.profile.toneCount)
    }

    /// Σₙ s*ₘ[n]·y[n] of tone m.
    subscript(m: Int) -> ComplexSample { products[m] }

    /// Σₙ s*ₘ[n]·x[n] of a single tone; parameters as in `measure`.
    static func correlation(
        _ x: Span<ComplexSample>, tone: Int, _ format: BasebandFormat, symbol: Int, firstIndex: Int, start: Double,
        offsetHertz: Float
    ) -> ComplexSample {
        let length = Double(format.samplesPerSymbol)
        let stretch = 1 + Double(offsetHertz) / format.profile.centreHertz
        let offsetTurns = Double(offsetHertz) / Double(format.rateHertz)
        let toneTurns = (Double(tone - format.profile.toneCount / 2) + 0.5) * stretch / length
        let inside = Double(firstIndex) - (start + Double(symbol) * length / stretch)
        let first = 0.5 * Double(symbol & 1) + offsetTurns * (Double(firstIndex) - start) + toneTurns * inside
        var phasor = unitPhasor(turns: -first)
        let step = unitPhasor(turns: -(offsetTurns + toneTurns))
        var sum = ComplexSample()
        for n in x.indices {
            sum += x[n].times(phasor)
            phasor = phasor.times(step)
        }
        return sum
    }

    /// Measures y = turn·scale·(the samples that the plan holds).
    mutating func measure(
        _ plan: borrowing FFTPlan, scale: Float, turn: ComplexSample, _ format: BasebandFormat, symbol: Int,
        firstIndex: Int, start: Double, offsetHertz: Float
    ) {
        let length = format.samplesPerSymbol
        let toneCount = format.profile.toneCount
        let stretch = 1 + Double(offsetHertz) / format.profile.centreHertz
        let offsetTurns = Double(offsetHertz) / Double(format.rateHertz)
        let symbolStart = start + Double(symbol) * Double(length) / stretch
        let inside = Double(firstIndex) - symbolStart
        let base =
            0.5 * Double(symbol & 1) + offsetTurns * (Double(firstIndex) - start) + 0.5 * inside * stretch
            / Double(length)
        let first = Float(base - base.rounded())
        let advance = Float(offsetTurns + 0.5 * stretch / Double(length))
        transform.withMutableSamples { input in
            plan.withSamples { samples in
                for n in 0..<length {
                    input[n] = samples[n].times(fastUnitPhasor(turns: -(first + Float(n) * advance)))
                }
            }
        }
        transform.forward()
        // The phase from tone to tone in the middle of the symbol, in turns.
        let middle = ((inside + Double(length) / 2) * stretch - Double(length) / 2) / Double(length)
        writeProducts(
            transform, turn: turn * scale, turnsPerTone: -Float(middle), toneCount: toneCount, into: &products)
    }
}

/// Writes the plan's spectrum at each tone, turned by `turn` plus `turnsPerTone` for each tone.
private func writeProducts(
    _ plan: borrowing FFTPlan, turn: ComplexSample, turnsPerTone: Float, toneCount: Int,
    into products: inout [ComplexSample]
) {
    var all = products.mutableSpan
    plan.withSpectrum { spectrum in
        for tone in 0..<toneCount {
            let place = tone - toneCount / 2
            let phase = fastUnitPhasor(turns: turnsPerTone * Float(place))
            all[tone] = spectrum[(place + spectrum.count) % spectrum.count].times(phase).times(turn)
        }
    }
}
