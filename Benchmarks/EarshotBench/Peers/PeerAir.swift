import EarshotBasics
import EarshotChannel
import RealModule

/// The channel between a sender and a receiver.
struct AirCondition {
    /// Power of a sine at the signal's peak over the noise power in 1,500 Hz.
    var snrDecibels = 0.0
    var room: Room?
    /// The factor of frequencies and speed is 1 plus this.
    var relativeOffset = 0.0
    /// A steady tone this much above the signal's mean power, somewhere in the band.
    var toneDecibels: Double?
    /// The range of the tone's frequency.
    var toneBandHertz = 18_500.0...20_000.0
}

/// The air, the same for every modem: with one seed the token, the start, the room and the noise are the same for all.
enum PeerAir {
    static let sampleRateHertz = 48_000
    /// The peak of every signal.
    static let peak: Float = 0.1
    static let tokenByteCount = 8

    /// The token that belongs to a seed.
    static func token(seed: UInt64) -> [UInt8] {
        var generator = SeededGenerator(seed: ~seed)
        return (0..<tokenByteCount).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }

    /// `signal` with the peak `peak`, after the air.
    static func sound(of signal: [Float], _ condition: AirCondition, seed: UInt64) -> [Float] {
        let gain = peak / max(signal.reduce(0) { max($0, abs($1)) }, .leastNormalMagnitude)
        let sent = signal.map { gain * $0 }
        var air = Air()
        air.room = condition.room
        air.relativeOffset = condition.relativeOffset
        if let toneDecibels = condition.toneDecibels {
            let meanPower = sent.reduce(0) { $0 + Double($1) * Double($1) } / Double(max(sent.count, 1))
            // The tone's peak over the signal's.
            air.toneLevelsDecibels = [toneDecibels + 10 * .log10(2 * meanPower) - 20 * .log10(Double(peak))]
            air.bandHertz = condition.toneBandHertz
        }
        var sound = PreparedAir(air, sampleRateHertz: sampleRateHertz)
            .sound(of: [sent], amplitude: peak, snrDecibels: condition.snrDecibels, seed: seed)
        return sound.readAll()
    }
}
