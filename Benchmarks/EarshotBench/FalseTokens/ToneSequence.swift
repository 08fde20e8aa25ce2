import Foundation

/// A sequence of tones, for imitations of Earshot and for other modems: continuous phase, each change spread over an eighth of a
/// symbol, ramps of 5 ms at both ends.
struct ToneSequence {
    var hertz: [Double]
    var symbolSeconds: Double
    var amplitude: Double
    /// Factors of the symbols' amplitudes; without any they are 1.
    var gains: [Double] = []

    func samples(sampleRateHertz: Int) -> [Float] {
        let rate = Double(sampleRateHertz)
        let count = Int(Double(hertz.count) * symbolSeconds * rate)
        let rampSamples = 0.005 * rate
        var turns = 0.0
        return (0..<count).map { n in
            let place = Double(n) / rate / symbolSeconds
            let symbol = min(Int(place), hertz.count - 1)
            // From the tone before, within the first eighth.
            let part = 8 * (place - Double(symbol))
            let before = hertz[max(symbol - 1, 0)]
            turns += (part < 1 ? before + (hertz[symbol] - before) * smoothStep(part) : hertz[symbol]) / rate
            turns -= turns.rounded(.down)
            let inside = Double(min(n, count - n)) / rampSamples
            let gain = (inside < 1 ? smoothStep(inside) : 1) * (gains.isEmpty ? 1 : gains[symbol])
            return Float(amplitude * gain * sin(2 * .pi * turns))
        }
    }
}

/// Half a cosine from 0 at 0 to 1 at 1.
private func smoothStep(_ x: Double) -> Double {
    0.5 * (1 - cos(.pi * x))
}

extension RandomNumberGenerator {
    /// Uniformly distributed in the range.
    mutating func number(_ range: ClosedRange<Double>) -> Double {
        Double.random(in: range, using: &self)
    }
}
