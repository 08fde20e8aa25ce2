import RealModule
import TestSupport
import Testing

@testable import EarshotChannel

/// The sound of the same air at several microphones.
@Suite(.optimized) struct MicrophoneArrayTests {
    private static let tone = (0..<24_000).map { 0.25 * Float.sin(2 * .pi * 0.4 * Float($0)) }

    /// The samples of each microphone.
    private func channels(_ air: Air, snrDecibels: Double = 60, seed: UInt64) -> [[Float]] {
        var sound = PreparedAir(air, sampleRateHertz: 48_000).sound(
            of: [Self.tone], amplitude: 0.25, snrDecibels: snrDecibels, seed: seed)
        let (count, samples) = (sound.channelCount, sound.readAll())
        return (0..<count).map { channel in
            Swift.stride(from: channel, to: samples.count, by: count).map { samples[$0] }
        }
    }

    private func power(_ x: [Float]) -> Double { x.reduce(0) { $0 + Double($1) * Double($1) } / Double(x.count) }

    /// In a room with independent echoes, the first microphone of an array hears the same as it
    /// does alone; the second hears another echo.
    @Test func theFirstIsAsAlone() {
        var air = Air()
        air.room = Room.b
        let alone = channels(air, seed: 81)[0]
        air.microphones = .row(2, spacingMetres: 0.1)
        let both = channels(air, seed: 81)
        #expect(both.count == 2 && both[0] == alone && both[1].count == alone.count, "seed 81")
        #expect(both[1] != alone, "seed 81")
    }

    /// In free air the delays are those of a plane wave: at most the array's length, and
    /// zero for the first microphone it reaches.
    @Test func delaysFollowFromThePlaces() {
        let array = MicrophoneArray.row(3, spacingMetres: 0.5)
        let samplesPerMetre = 48_000 / SoundInAir.metresPerSecond
        for step in 0..<16 {
            let angle = 2 * Double.pi * Double(step) / 16
            let delays = array.delays(fromDirection: angle, sampleRateHertz: 48_000)
            #expect(delays.min() == 0)
            #expect(abs((delays.max() ?? 0) - abs(Double.cos(angle)) * samplesPerMetre) < 1e-6, "\(step)")
            #expect(abs(delays[0] + delays[2] - 2 * delays[1]) < 1e-6, "\(step)")
        }
        // Both microphones hear the same sound, one of them later.
        var air = Air()
        air.microphones = .row(2, spacingMetres: 1)
        let heard = channels(air, seed: 82)
        let difference = zip(heard[0], heard[1]).map { $0 - $1 }
        #expect(power(difference) > 0.1 * power(heard[0]), "seed 82")
        #expect(abs(decibels(power(heard[0]) / power(heard[1]))) < 0.2, "seed 82")
    }

    /// Each microphone has its own noise at the stated level, and a dead one is silent.
    /// Power over 2·10⁴ samples is known within 1 %.
    @Test func eachHasItsNoise() {
        var air = Air()
        air.microphones = .row(4, spacingMetres: 0.1)
        air.microphones.microphones[2].noiseDecibels = 20
        air.microphones.microphones[3].isDead = true
        let heard = channels(air, snrDecibels: -30, seed: 83)
        #expect(abs(decibels(power(heard[1]) / power(heard[0]))) < 0.3, "seed 83")
        #expect(abs(decibels(power(heard[2]) / power(heard[0])) - 20) < 0.3, "seed 83")
        #expect(power(heard[3]) == 0)
        let common = zip(heard[0], heard[1]).reduce(0.0) { $0 + Double($1.0) * Double($1.1) } / Double(heard[0].count)
        #expect(abs(common) < 0.05 * power(heard[0]), "seed 83")
    }

    /// In a box the direct sound reaches the microphones within the array's length, and the mean energy is 1.
    @Test func aBoxHasOneDirectSound() {
        let room = ShoeboxRoom(dimensionsMetres: SIMD3(5, 4, 2.7), wallReverberationSeconds: 0.4)
        let array = MicrophoneArray.circle(4, radiusMetres: 0.045)
        var energies = 0.0
        for seed in UInt64(1)...20 {
            let responses = room.impulseResponses(at: array, sampleRateHertz: 48_000, seed: seed)
            #expect(responses.count == 4)
            energies += responses.reduce(0) { $0 + power($1) * Double($1.count) } / 80
            // 0.09 m delay the sound by at most 12.6 samples.
            let peaks = responses.map { response in
                let early = response[..<14].map { abs($0) }
                return early.max() ?? 0
            }
            #expect(peaks.allSatisfy { $0 > 0.02 }, "seed \(seed)")
        }
        #expect(abs(energies - 1) < 0.15, "\(energies)")
    }

    /// All microphones lose the same samples.
    @Test func gapsAreCommon() {
        var air = Air()
        air.gaps = RandomGaps(perSecond: 10, lengthSeconds: 0.005...0.04)
        air.microphones = .row(2, spacingMetres: 0.1)
        var sound = PreparedAir(air, sampleRateHertz: 48_000).sound(
            of: [Self.tone], amplitude: 0.25, snrDecibels: 10, seed: 84)
        var block = [Float](repeating: 0, count: 2_000)
        var (dropped, held) = (0, 0)
        while true {
            var span = block.mutableSpan
            let piece = sound.readPiece(into: &span)
            if piece == (0, 0) { break }
            (dropped, held) = (dropped + piece.droppedCount, held + piece.count)
        }
        #expect(dropped > 1_000 && held > 30_000, "\(dropped), \(held), seed 84")
    }
}
