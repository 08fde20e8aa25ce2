import EarshotBasics
import EarshotChannel
import Foundation

extension SoundKind {
    /// Background noise.
    static let noises = [
        SoundKind("white noise") { Noise(colour: .white, deviation: 0.05, sampleRateHertz: 48_000, seed: $0) },
        SoundKind("pink noise") { Noise(colour: .pink, deviation: 0.05, sampleRateHertz: 48_000, seed: $0) },
        SoundKind("brown noise") { Noise(colour: .brown, deviation: 0.05, sampleRateHertz: 48_000, seed: $0) },
    ]

    /// Keys, pilot tones and the supervision tones of public-address systems; all with noise 40 to 60 dB below full scale.
    static let machines = [
        SoundKind("a keyboard, clicks and six steady pilot tones") { seed in
            var generator = SeededGenerator(seed: seed)
            let pilots = (0..<6).map { _ in
                PilotTone(
                    hertz: generator.number(18_400...20_100), amplitude: Float(pow(10, generator.number(-3 ... -1))),
                    sampleRateHertz: 48_000)
            }
            let keys = Impulses(.keys, perSecond: 6, amplitude: 0.5, sampleRateHertz: 48_000, seed: seed &+ 2)
            let clicks = Impulses(.clicks, perSecond: 30, amplitude: 0.3, sampleRateHertz: 48_000, seed: seed &+ 3)
            return together(pilots + [keys, clicks, quietNoise(seed)])
        },
        SoundKind("keys on a ring, coins and paper: what rings at its own places") { seed in
            together([EventSource(seed: seed, keys), quietNoise(seed)])
        },
        SoundKind("pilot tones, up to six at once, coming and going") { seed in
            together([EventSource(seed: seed, pilots), quietNoise(seed)])
        },
        SoundKind("a pilot tone, amplitude-modulated or keyed") { seed in
            together([EventSource(seed: seed, modulatedPilot), quietNoise(seed)])
        },
        SoundKind("swept tones: up, down and warbling") { seed in
            together([EventSource(seed: seed, sweep), quietNoise(seed)])
        },
    ]

    static func quietNoise(_ seed: UInt64) -> any SoundSource {
        var generator = SeededGenerator(seed: ~seed)
        let deviation = Float(pow(10, generator.number(-3 ... -2)))
        return Noise(colour: .white, deviation: deviation, sampleRateHertz: 48_000, seed: seed &+ 1)
    }

    /// A tenth of a second to a second of metal on metal: each click rings at a few frequencies between 2 and 22 kHz.
    private static func keys(_ generator: inout SeededGenerator) -> [Float] {
        let count = Int(generator.number(0.1...1) * 48_000)
        var samples = [Float](repeating: 0, count: count + 4_800)
        for _ in 0..<Int.random(in: 3...60, using: &generator) {
            let start = Int.random(in: 0..<count, using: &generator)
            for _ in 0..<3 {
                let turn = generator.number(2_000...22_000) / 48_000
                let decay = generator.number(0.0005...0.01) * 48_000
                let level = pow(10, generator.number(-2.5 ... -0.5))
                for n in 0..<min(Int(5 * decay), samples.count - start) {
                    samples[start + n] += Float(level * exp(-Double(n) / decay) * sin(2 * .pi * turn * Double(n)))
                }
            }
        }
        return samples + [Float](repeating: 0, count: Int(generator.number(0...1) * 48_000))
    }

    private static func pilots(_ generator: inout SeededGenerator) -> [Float] {
        let seconds = generator.number(0.3...8)
        var sum = [Float](repeating: 0, count: Int(seconds * 48_000))
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let tone = ToneSequence(
                hertz: [generator.number(18_300...20_200)], symbolSeconds: seconds,
                amplitude: pow(10, generator.number(-3 ... -0.8)))
            for (index, sample) in tone.samples(sampleRateHertz: 48_000).enumerated() {
                sum[index] += sample
            }
        }
        return sum
    }

    /// A supervision tone near 20 kHz, modulated or keyed at 0.2 to 60 Hz.
    private static func modulatedPilot(_ generator: inout SeededGenerator) -> [Float] {
        let (carrier, rate) = (generator.number(18_400...20_100) / 48_000, generator.number(0.2...60) / 48_000)
        let (level, depth) = (pow(10, generator.number(-3 ... -0.8)), generator.number(0.2...1))
        let isKeyed = Bool.random(using: &generator)
        return (0..<Int(generator.number(2...20) * 48_000)).map { n in
            let wave = sin(2 * .pi * rate * Double(n))
            let gain = 1 - depth * 0.5 * (1 + (isKeyed ? (wave > 0 ? 1 : -1) : wave))
            return Float(level * gain * sin(2 * .pi * carrier * Double(n)))
        }
    }

    private static func sweep(_ generator: inout SeededGenerator) -> [Float] {
        let seconds = generator.number(0.05...6)
        let (from, to) = (generator.number(17_500...20_500), generator.number(17_500...20_500))
        let (reach, rate) = (generator.number(0...800), generator.number(0.5...20))
        let level = pow(10, generator.number(-3 ... -0.8))
        let isWarbling = Bool.random(using: &generator)
        var turns = 0.0
        return (0..<Int(seconds * 48_000)).map { n in
            let part = Double(n) / (seconds * 48_000)
            let hertz = isWarbling ? from + reach * sin(2 * .pi * rate * part * seconds) : from + (to - from) * part
            turns += hertz / 48_000
            turns -= turns.rounded(.down)
            return Float(level * sin(2 * .pi * turns))
        }
    }
}
