import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotModem
import Foundation

/// A token in each profile, and the longest payload.
let trellisKernels = [
    (Profile.fast, 8, 18.0), (.standard, 8, 15), (.far, 8, 12), (.standard, 32, 13),
].map { profile, byteCount, minimumRatio in
    KernelMeasurement(name: "trellis decoder, `\(profile.name)`, \(byteCount) bytes") {
        measureTrellis(profile, byteCount: byteCount, minimumRatio: minimumRatio)
    }
}

private func measureTrellis(_ profile: Profile, byteCount: Int, minimumRatio: Double) -> KernelResult {
    let code = profile.code
    var noise = WhiteNoise(seed: 9)
    var generator = SeededGenerator(seed: 10)
    let bytes = (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
    guard let payload = try? Payload(bytes) else { preconditionFailure("\(byteCount) bytes are no payload") }
    let sent = FrameBits.pairs(of: payload)
    let stepCount = sent.count
    // A codeword at 9.5 dB of tone energy over noise: its best path is unique, and is the sent one.
    var metrics: [Float] = []
    for tone in code.encode(sent) {
        for other in 0..<code.toneCount {
            var energy = ComplexNoisePower.next(&noise, amplitude: other == Int(tone) ? 3.0 : 0)
            energy = log(1 + energy)
            metrics.append(energy)
        }
    }
    var pairs = [UInt8](repeating: 0, count: stepCount)
    var naive = pairs
    var decoder = TrellisDecoder(memoryBits: code.memoryBits, longestStepCount: stepCount)
    return compare(
        unit: "step", unitCount: stepCount, minimumRatio: minimumRatio, tolerance: 0,
        kernel: { decoder.decode(code, metrics, stepCount: stepCount, into: &pairs) },
        twin: { naive = naiveViterbi(code, metrics, stepCount: stepCount) },
        difference: {
            // Both must find the sent codeword; otherwise their agreement may be an accident.
            zip(pairs, naive).contains { $0 != $1 } || pairs != sent ? .infinity : 0
        })
}

private enum ComplexNoisePower {
    /// |a + n|² with the mean of |n|² one.
    static func next(_ noise: inout WhiteNoise, amplitude: Float) -> Float {
        let (real, imaginary) = (amplitude + 0.707_106_8 * noise.next(), 0.707_106_8 * noise.next())
        return real * real + imaginary * imaginary
    }
}

/// Viterbi's algorithm around the ring: all states are equal at first, with
/// `settlingSteps` before the frame and as many after it.
private func naiveViterbi(_ code: TrellisCode, _ metrics: [Float], stepCount: Int) -> [UInt8] {
    let settling = TrellisDecoder.settlingSteps
    let stateCount = code.stateCount
    var old = [Float](repeating: 0, count: stateCount)
    var new = old
    var winners: [[UInt8]] = []
    for walk in -settling..<stepCount + settling {
        let step = (walk + settling * stepCount) % stepCount
        var winner = [UInt8](repeating: 0, count: stateCount)
        for state in 0..<stateCount {
            var best = -Float.infinity
            for leaving in 0..<4 {
                let register = state + leaving * stateCount
                let metric = old[register >> 2] + metrics[step * code.toneCount + Int(code.tones[register])]
                if metric > best {
                    best = metric
                    winner[state] = UInt8(leaving)
                }
            }
            new[state] = best
        }
        swap(&old, &new)
        winners.append(winner)
    }
    var state = old.indices.max { old[$0] < old[$1] } ?? 0
    var pairs = [UInt8](repeating: 0, count: stepCount)
    for walk in winners.indices.reversed() {
        if (settling..<settling + stepCount).contains(walk) {
            pairs[walk - settling] = UInt8(state & 3)
        }
        state = (state + Int(winners[walk][state]) * stateCount) >> 2
    }
    return pairs
}
