import EarshotChannel
import RealModule

/// What is between a sender and a receiver.
struct AirCondition {
    /// Power of a sine at the signal's peak over the noise power in 1,500 Hz.
    var snrDecibels = 0.0
    var room: Room?
    /// Frequencies and speed times 1 + this.
    var relativeOffset = 0.0
    /// A steady tone this much above the signal's mean power, somewhere in the band.
    var toneDecibels: Double?
    /// Where it can be.
    var toneBandHertz = 18_500.0...20_000.0
}

/// The air, the same for every modem: with one seed the token, the start, the room and the noise are the same for all.
enum PeerAir {
    static let sampleRateHertz = 48_000
    /// Of every signal.
    static let peak: Float = 0.1
    /// Noise before and behind.
    static let marginSeconds = 0.5
    static let tokenByteCount = 8

    /// The token that belongs to a seed.
    static func token(seed: UInt64) -> [UInt8] {
        var generator = SeededGenerator(seed: ~seed)
        return (0..<tokenByteCount).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }

    /// `signal`, brought to `peak`, as it is heard.
    static func sound(of signal: [Float], _ condition: AirCondition, seed: UInt64) -> [Float] {
        // Drawn in the same order whether needed or not, so that conditions share them too.
        var generator = SeededGenerator(seed: seed)
        let fractionalDelay = Double(generator.uniform())
        // Receivers that look at whole frames, the longest of 1,024 samples, are met at every phase.
        let wholeDelay = Int(generator.next() % 4_096)
        let roomSeed = generator.next()
        let tonePlace = Double(generator.uniform())
        var noise = WhiteNoise(seed: generator.next())

        let gain = peak / max(signal.reduce(0) { max($0, abs($1)) }, .leastNormalMagnitude)
        var heard = signal.map { gain * $0 }
        let meanPower = heard.reduce(0) { $0 + Double($1) * Double($1) } / Double(max(heard.count, 1))
        let motion = TimeScale(relativeOffset: condition.relativeOffset, fractionalDelay: fractionalDelay)
        heard = motion.apply(to: heard)
        if let room = condition.room {
            heard = room.apply(to: heard, sampleRateHertz: sampleRateHertz, seed: roomSeed)
        }
        let margin = Int(marginSeconds * Double(sampleRateHertz))
        var air = [Float](repeating: 0, count: margin + wholeDelay)
        air += heard
        air += [Float](repeating: 0, count: margin)
        if let toneDecibels = condition.toneDecibels {
            let band = condition.toneBandHertz
            let hertz = band.lowerBound + tonePlace * (band.upperBound - band.lowerBound)
            let amplitude = (2 * meanPower * .pow(10, toneDecibels / 10)).squareRoot()
            let radiansPerSample = 2 * Double.pi * hertz / Double(sampleRateHertz)
            for index in air.indices {
                air[index] += Float(amplitude * .sin(radiansPerSample * Double(index)))
            }
        }
        let deviation = WhiteNoise.deviation(
            amplitude: peak, snrDecibels: condition.snrDecibels, sampleRateHertz: sampleRateHertz)
        noise.add(to: &air, deviation: deviation)
        return air
    }
}
