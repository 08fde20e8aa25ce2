import EarshotBasics
import EarshotChannel
import EarshotDSP
import Foundation

/// Counts frame errors of several codes over the same noise.
///
///     E[t][m] = |√γ·a[t]·δ(m, sent tone) + n|²,   n complex normal with mean square 1
///     metric = ln I0(2 √(γ E[t][m]))
///
/// a[t] = 1, or Rayleigh with mean square 1, new for each tone. With fading the metric is E itself, which is the
/// likelihood for that channel up to scale. A frame is wrong if any of its pairs is.
struct FrameErrorSimulation {
    let operatingPoint: OperatingPoint
    let fades: Bool
    let frames: Int
    let seed: UInt64

    /// The number of wrong frames of each code. All codes must have the same number of tones.
    func frameErrors(of codes: [TrellisCode]) -> [Int] {
        let steps = operatingPoint.steps
        let toneCount = codes[0].toneCount
        let gamma = operatingPoint.toneEnergy
        var decoders = codes.map { TailBitingDecoder(code: $0, steps: steps) }
        var errors = codes.map { _ in 0 }
        var random = SeededGenerator(seed: seed)
        // likelihoods[step][m] is of the tone (sent xor m), so that every code meets the same noise.
        var relative = Array(repeating: Float(0), count: steps * toneCount)
        var absolute = relative
        for _ in 0..<frames {
            let pairs = (0..<steps).map { _ in Int(random.next() & 3) }
            for index in relative.indices {
                var energy = -log(random.nextUniform())  // An empty tone's energy is exponential.
                if index % toneCount == 0 {
                    let amplitude = fades ? (-log(random.nextUniform()) * gamma).squareRoot() : gamma.squareRoot()
                    let angle = 2 * Double.pi * random.nextUniform()
                    energy += amplitude * (amplitude + 2 * energy.squareRoot() * cos(angle))
                }
                relative[index] = Float(fades ? energy : logBesselI0(2 * (gamma * max(energy, 0)).squareRoot()))
            }
            for decoder in decoders.indices {
                let sent = decoders[decoder].encode(pairs)
                for index in absolute.indices {
                    let step = index / toneCount
                    absolute[index] = relative[step * toneCount + (index % toneCount ^ sent[step])]
                }
                if decoders[decoder].decode(absolute) != pairs { errors[decoder] += 1 }
            }
        }
        return errors
    }
}
