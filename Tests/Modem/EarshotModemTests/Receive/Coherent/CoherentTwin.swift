import EarshotCoding
import EarshotDSP
import RealModule
import TestSupport

@testable import EarshotModem

/// The formulas of `CoherentMetrics` written out, for a frame that begins at a whole sample and a place without an offset.
struct CoherentTwin {
    private let format: BasebandFormat
    private let tones: [Int]
    private let turns: [ComplexDouble]
    private let leadCount: Int
    /// h; shape [tapCount].
    private let taps: [ComplexDouble]
    /// e, from `leadCount` samples before the frame on.
    private let residual: [ComplexDouble]
    /// Σ|h|²/noise.
    let coherentRatio: Double

    init(_ scene: BasebandScene, _ profile: Profile, tones: [Int], start: Int, hertz: Double, noise: Double) {
        let format = BasebandFormat(profile: profile)
        let (length, count) = (format.samplesPerSymbol, tones.count)
        let tapCount = min(max(256, 4 * length) - length, 384)
        let lead = length
        var replica = FrameReplica(profiles: [profile])
        replica.make(tones, symbolCount: count, format, start: Double(start), offsetHertz: 0)
        let r = (0..<count * length).map { ComplexDouble(replica.samples[$0]) }
        let x = (0..<count * length + tapCount).map { ComplexDouble(scene.samples[start - lead + $0]) }
        let turns = (0..<count).map { symbol in
            ComplexDouble.phasor(
                turns: -hertz * (Double(symbol) - Double(count) / 2) * Double(length) / Double(format.rateHertz))
        }
        let energy = Double(count * length)
        let limit = Double(CoherentMetrics.minimumTapRatio) * Double(length) * noise / energy
        let taps = (0..<tapCount).map { delay in
            let sum = (0..<count * length).reduce(ComplexDouble()) { sum, n in
                sum + x[n + delay].times(CoherentTwin.conjugate(r[n])).times(turns[n / length])
            }
            let tap = sum / energy
            return tap.power > limit ? tap * (1 - limit / tap.power) : ComplexDouble()
        }
        var residual = x
        for n in 0..<count * length {
            let sent = r[n].times(CoherentTwin.conjugate(turns[n / length]))
            for delay in 0..<tapCount { residual[n + delay] -= taps[delay].times(sent) }
        }
        coherentRatio = taps.reduce(0) { $0 + $1.power } / noise
        (self.format, self.tones, self.turns, leadCount) = (format, tones, turns, lead)
        (self.taps, self.residual) = (taps, residual)
    }

    /// L of the data tones; shape [dataToneCount][M].
    func metrics(toneNoise: [Double]) -> [Double] {
        let (length, toneCount) = (format.samplesPerSymbol, format.profile.toneCount)
        let gains = (0..<toneCount).map { gain($0) }
        return (0..<FrameLayout.token.dataToneCount).flatMap { step in
            let symbol = FrameLayout.token.dataPlace(step)
            let y = (0..<length).map { n in
                taps.indices.reduce(ComplexDouble()) { sum, delay in
                    sum + CoherentTwin.conjugate(taps[delay]).times(residual[symbol * length + n + delay])
                }.times(turns[symbol])
            }
            return (0..<toneCount).map { tone in
                let cycles = Double(format.cyclesPerSample(tone: tone))
                let z = (0..<length).reduce(ComplexDouble()) { sum, n in
                    sum + y[n].times(.phasor(turns: -(0.5 * Double(symbol) + cycles * Double(n))))
                }
                let real = z.x + (tone == tones[symbol] ? gains[tone] : 0)
                return min(max(2 * real - gains[tone], -3 * gains[tone]), 1.5 * gains[tone])
                    / (toneNoise[tone] * Double(length))
            }
        }
    }

    /// G: N times the mean of |H|² over a tone's width, in bins of a transform of 256 points or more.
    private func gain(_ tone: Int) -> Double {
        let transformLength = max(256, 4 * format.samplesPerSymbol)
        let binsPerTone = transformLength / format.samplesPerSymbol
        let middle = binsPerTone * (tone - format.profile.toneCount / 2) + binsPerTone / 2
        let bins = middle - binsPerTone / 2...middle + binsPerTone / 2
        let sum = bins.reduce(0.0) { sum, bin in
            sum
                + taps.indices.reduce(ComplexDouble()) { sum, delay in
                    sum + taps[delay].times(.phasor(turns: -Double(bin * delay) / Double(transformLength)))
                }.power
        }
        return Double(format.samplesPerSymbol) * sum / Double(bins.count)
    }

    private static func conjugate(_ z: ComplexDouble) -> ComplexDouble { ComplexDouble(z.x, -z.y) }
}
