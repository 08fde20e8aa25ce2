import Foundation

/// Other sounds in the room, at 48 kHz.
package enum SoundCardNoise: String, CaseIterable {
    case speech, music

    package static let rate = 48_000.0
    package static let seconds = 20.0

    /// Writes 20 s of the sound, as loud as a frame of this amplitude.
    package func write(_ name: String, amplitude: Float, using card: SoundCard, in scratch: Scratch) throws {
        let phrase = self == .speech ? try Self.spoken(using: card, in: scratch) : Self.music()
        let power = phrase.map { Double($0) * Double($0) }.reduce(0, +) / Double(phrase.count)
        let peak = phrase.map(abs).max() ?? 0
        // The same power as the frame's sine, unless the peaks of both together would clip.
        let gain = min(amplitude / Float(2 * power).squareRoot(), 0.95 * (1 - amplitude) / peak)
        let count = Int(Self.seconds * Self.rate)
        try scratch.write((0..<count).map { gain * phrase[$0 % phrase.count] }, name)
    }

    /// A few sentences. Straight lines join the voice's 22,050 samples a second. That leaves an image of its lower half
    /// in 11 to 22 kHz, 30 to 60 dB down, much like the hiss of a real voice.
    private static func spoken(using card: SoundCard, in scratch: Scratch) throws -> [Float] {
        let text = """
            She sells sea shells by the sea shore. Six thick thistle sticks, six thick thistles stick. \
            The next session starts at sixteen hundred in hall three; please switch your phones to silent. \
            This is a test of a small modem that whispers while all other devices talk.
            """
        try card.run("espeak-ng", ["-w", "voice.wav", text]).finish(within: 0)
        let voice = try scratch.samples("voice.wav")
        let step = 22_050 / rate
        return (0..<Int(Double(voice.count - 1) / step)).map { index in
            let place = Double(index) * step
            let before = Int(place)
            return voice[before] + Float(place - Double(before)) * (voice[before + 1] - voice[before])
        }
    }

    /// Four chords of half a second each, with harmonics up to 20 kHz, and a drum and hi-hats.
    private static func music() -> [Float] {
        let chordLength = Int(rate / 2)
        var samples: [Float] = []
        var state: UInt64 = 4
        for root in [110.0, 87.31, 130.81, 98.0] {
            // Root, third, fifth, and the octave that carries the melody.
            let frequencies = [1, 1.26, 1.498, 4].flatMap { interval in
                let tone = root * interval
                return (1...Int(20_000 / tone)).map { (tone * Double($0), 0.2 / Double($0)) }
            }
            for index in 0..<chordLength {
                let time = Double(index) / rate
                samples.append(
                    Float(frequencies.reduce(0) { $0 + $1.1 * sin(2 * .pi * $1.0 * time) } * exp(-2 * time)))
            }
            let start = samples.count - chordLength
            for index in 0..<chordLength {
                let time = Double(index) / rate
                // The drum falls from 160 to 50 Hz; the hi-hats are white noise, an eighth apart.
                let drum = sin(2 * .pi * (50 * time + 11 * (1 - exp(-10 * time)))) * exp(-8 * time)
                // Knuth's linear congruential generator; its upper bits are random enough for noise.
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let white = Double(state >> 32) / 0x1p31 - 1
                let hat = white * exp(-60 * time.truncatingRemainder(dividingBy: 0.125))
                samples[start + index] += Float(0.6 * drum + 0.2 * hat)
            }
        }
        return samples
    }
}
