import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotModem
import Foundation

extension SoundKind {
    /// Modulations of other systems in Earshot's band, at random speeds. Recordings add
    /// the sounds of these systems' own programs.
    static let modems = [
        SoundKind("frequency-shift keying of 2 to 32 tones at 10 to 400 baud") { seed in
            together([EventSource(seed: seed, frequencyShiftKeying), quietNoise(seed)])
        },
        SoundKind("chirp spread spectrum") { seed in together([EventSource(seed: seed, chirps), quietNoise(seed)]) },
        SoundKind("phase-shift and on-off keying") { seed in
            together([EventSource(seed: seed, phaseShiftKeying), quietNoise(seed)])
        },
    ]

    /// Signals on Earshot's own grid, the most dangerous ones. They contain no token.
    static let almostEarshot = [
        SoundKind("random tones on our own grid, at our own speed") { seed in
            together([EventSource(seed: seed) { randomHops(&$0, withSync: false) }, quietNoise(seed)])
        },
        SoundKind("our sync pattern, then random tones") { seed in
            together([EventSource(seed: seed) { randomHops(&$0, withSync: true) }, quietNoise(seed)])
        },
        SoundKind("several talkers of random tones on our own grid") { seed in
            together((0..<3).map { talker in EventSource(seed: seed &+ talker) { randomHops(&$0, withSync: false) } })
        },
    ]

    private static func pause(_ generator: inout SeededGenerator) -> [Float] {
        [Float](repeating: 0, count: Int(generator.number(0.02...0.4) * 48_000))
    }

    private static func level(_ generator: inout SeededGenerator) -> Double {
        pow(10, generator.number(-3 ... -0.8))
    }

    private static func frequencyShiftKeying(_ generator: inout SeededGenerator) -> [Float] {
        let toneCount = 1 << Int.random(in: 1...5, using: &generator)
        let baud = generator.number(10...400)
        let lowest = generator.number(17_800...19_500)
        let spacing = min(baud * generator.number(0.5...2), 2_200 / Double(toneCount))
        let count = Int(generator.number(0.3...4) * baud)
        let tones = (0..<count).map { _ in
            lowest + spacing * Double(Int.random(in: 0..<toneCount, using: &generator))
        }
        let sequence = ToneSequence(hertz: tones, symbolSeconds: 1 / baud, amplitude: level(&generator))
        return sequence.samples(sampleRateHertz: 48_000) + pause(&generator)
    }

    /// Upward sweeps over the whole band that begin at a random frequency and wrap around: LoRa's modulation, at Earshot's bandwidth.
    private static func chirps(_ generator: inout SeededGenerator) -> [Float] {
        let symbolSeconds = generator.number(0.005...0.1)
        let symbolCount = Int(generator.number(0.3...4) / symbolSeconds)
        let level = level(&generator)
        var turns = 0.0
        var samples: [Float] = []
        for _ in 0..<symbolCount {
            let start = generator.number(0...1)
            let count = Int(symbolSeconds * 48_000)
            for n in 0..<count {
                let place = start + Double(n) / Double(count)
                turns += (18_500 + 1_500 * (place - place.rounded(.down))) / 48_000
                turns -= turns.rounded(.down)
                samples.append(Float(level * sin(2 * .pi * turns)))
            }
        }
        return samples + pause(&generator)
    }

    private static func phaseShiftKeying(_ generator: inout SeededGenerator) -> [Float] {
        let carrier = generator.number(18_500...20_000) / 48_000
        let symbolSamples = Int(48_000 / generator.number(20...1_000))
        let symbolCount = Int(generator.number(0.3...4) * 48_000) / symbolSamples
        let level = level(&generator)
        let isOnOff = Bool.random(using: &generator)
        var samples: [Float] = []
        for _ in 0..<symbolCount {
            let state = Int.random(in: 0..<4, using: &generator)
            let gain = isOnOff ? level * Double(state & 1) : level
            let phase = isOnOff ? 0 : Double(state) / 4
            for _ in 0..<symbolSamples {
                samples.append(Float(gain * sin(2 * .pi * (carrier * Double(samples.count) + phase))))
            }
        }
        return samples + pause(&generator)
    }

    /// As many tones as a frame has, or a few more or less, in one of Earshot's profiles.
    private static func randomHops(_ generator: inout SeededGenerator, withSync: Bool) -> [Float] {
        let profile = Profile.all[Int.random(in: 0..<3, using: &generator)]
        let count = Int.random(in: 20...150, using: &generator)
        var tones = (0..<count).map { _ in Int.random(in: 0..<profile.toneCount, using: &generator) }
        if withSync {
            tones = FrameLayout.arranged(sync: profile.syncTones, tones)
        }
        let sequence = ToneSequence(
            hertz: tones.map(profile.toneHertz), symbolSeconds: profile.symbolSeconds, amplitude: level(&generator))
        return sequence.samples(sampleRateHertz: 48_000) + pause(&generator)
    }
}
