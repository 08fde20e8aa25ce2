package import EarshotModem
import RealModule

/// The sound that measures a pair of loudspeaker and microphone: one tone that rises steadily through the band and beyond.
///
///     x[n] = A·a(t)·cos(2π·(f₁·t + (f₂ − f₁)·t²/(2T))),   t = n/F,   0 ≤ t < T
///
/// a(t) rises and falls in raised cosines of 20 ms. A sweep has a constant envelope, so it carries the maximum energy that a
/// loudspeaker of limited peak can play, and a matched filter packs its T·(f₂ − f₁) = 9,150 into one peak, 40 dB.
///
/// It starts at 16.9 kHz: 1.5 kHz below the band show whether a fall has begun before it, and more people would hear a
/// lower start. It ends at 23 kHz, to show the reserve of the pair above the band, or at 0.49 of the sample rate,
/// because the converters' filters fall closer to half of it. It lasts 1.5 s: twice that would gain 3 dB, but disturb
/// people longer, and clocks 300 ppm apart would smear its peak more.
package struct Sweep: Sendable {
    /// T, seconds.
    package static let seconds = 1.5
    /// f₁, hertz.
    package static let lowestHertz = 16_900.0
    /// The length of the ramps at both ends, in seconds.
    package static let rampSeconds = 0.02
    /// The margin left out at either end of the measured frequencies: the ramp, during which the sweep rises by 81 Hz.
    static let marginHertz = 100.0

    /// F, hertz.
    package let sampleRateHertz: Int
    /// A: the peak, full scale is 1.
    package let amplitude: Float
    /// f₂, hertz.
    package let highestHertz: Double
    /// x; shape [1.5·F].
    package let samples: [Float]

    /// A sweep for a sample rate.
    /// - Parameter amplitude: above 0, full scale is 1.
    /// - Throws: `ModemError` if the rate cannot carry the band.
    package init(sampleRateHertz: Int, amplitude: Float) throws(ModemError) {
        precondition(amplitude > 0 && amplitude.isFinite, "an amplitude of \(amplitude)")
        let rates = ModemError.validSampleRatesHertz
        guard sampleRateHertz >= rates.lowerBound else { throw .sampleRateTooLow(hertz: sampleRateHertz) }
        guard sampleRateHertz <= rates.upperBound else { throw .sampleRateTooHigh(hertz: sampleRateHertz) }
        self.sampleRateHertz = sampleRateHertz
        self.amplitude = amplitude
        highestHertz = min(0.49 * Double(sampleRateHertz), 23_000)
        let (rate, highest) = (Double(sampleRateHertz), highestHertz)
        samples = (0..<Int(Sweep.seconds * rate)).map { n in
            let seconds = Double(n) / rate
            let phase = 2 * Double.pi * Sweep.turns(seconds, highestHertz: highest)
            return amplitude * Float(Sweep.ramp(seconds) * .cos(phase))
        }
    }

    /// The frequencies at which the response can be measured: those that the sweep crosses at its full level.
    package var measuredHertz: ClosedRange<Double> {
        Sweep.lowestHertz + Sweep.marginHertz...highestHertz - Sweep.marginHertz
    }

    /// The delay of the detected arrival if the sweep's speed is 1 + ε times that of the recorder's clock: −ε·f₂/k, with
    /// k = (f₂ − f₁)/T. A sweep confuses frequency with time; 100 ppm are 0.6 ms.
    package func biasSamples(relativeOffset: Double) -> Double {
        -relativeOffset * highestHertz / hertzPerSecond * Double(sampleRateHertz)
    }

    /// k, hertz per second.
    var hertzPerSecond: Double { (highestHertz - Sweep.lowestHertz) / Sweep.seconds }

    /// The phase without its whole turns, 0 ..< 1.
    static func turns(_ seconds: Double, highestHertz: Double) -> Double {
        let turns = (lowestHertz + (highestHertz - lowestHertz) * seconds / (2 * Sweep.seconds)) * seconds
        return turns - turns.rounded(.down)
    }

    /// a(t), 0 ... 1.
    private static func ramp(_ seconds: Double) -> Double {
        let inside = min(seconds, Sweep.seconds - seconds)
        return inside >= rampSeconds ? 1 : 0.5 * (1 - .cos(.pi * max(inside, 0) / rampSeconds))
    }
}
