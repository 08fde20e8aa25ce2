import EarshotBasics
import EarshotChannel
import RealModule
import TestSupport
import Testing

@Suite struct AttenuatedTests {
    private static let rate = 48_000

    /// The gain of each sample, measured with a constant signal.
    private func gains(_ ranges: [Range<Int>], decibels: Double, edgeLength: Int, count: Int) -> [Float] {
        var sound = Attenuated(
            StoredSound([Float](repeating: 1, count: count)), in: Holes(ranges), byDecibels: decibels,
            edgeLength: edgeLength)
        return sound.readAll()
    }

    /// A straight line in decibels at the edges, the floor between them, and nothing outside.
    @Test func followsLinesInDecibels() {
        let gains = gains([100..<200, 300..<304], decibels: 20, edgeLength: 10, count: 400)
        for (index, gain) in gains.enumerated() {
            let inside = (100..<200).contains(index) ? min(index - 99, 200 - index) : 0
            let short = (300..<304).contains(index) ? min(index - 299, 304 - index) : 0
            let expected = Double.pow(10, -2 * Double(min(max(inside, short), 10)) / 20)
            #expect(abs(Double(gain) - expected) < 1e-6, "sample \(index)")
        }
    }

    @Test func isTheSameInAnyBlocks() {
        var random = SeededGenerator(seed: 6)
        let sound = StoredSound(random.samples(20_000))
        expectSameInAnyBlocks {
            Attenuated(
                sound, in: Holes(perSecond: 20, lengthSeconds: 0...0.03, sampleRateHertz: Self.rate, seed: 7),
                byDecibels: 20, edgeLength: 100)
        }
    }

    /// A fade is within the talker's sound, so the sound loses the same energy wherever the fade is.
    @Test func aFadeLiesWithinTheSound() {
        let seconds = 1.0
        for seed in 1...20 as ClosedRange<UInt64> {
            var air = Air()
            air.fade = AirFade(decibels: 20, seconds: 0.3, edgeSeconds: 0.02)
            var generator = SeededGenerator(seed: seed)
            var pilot = PilotTone(hertz: 19_000, amplitude: 1, sampleRateHertz: Self.rate)
            let tone = pilot.read(count: Self.rate)
            var sound = PreparedAir(air, sampleRateHertz: Self.rate)
                .talkerSound(StoredSound(tone), seconds: seconds, &generator)
            let power = sound.readAll().reduce(0) { $0 + Double($1) * Double($1) } * 2 / Double(Self.rate)
            // ∫ 10^(−2s) over an edge is (1 − 0.01)/ln 100 = 0.215 of it.
            let expected = seconds - 0.34 + 0.3 * 0.01 + 2 * 0.02 * 0.215
            #expect(abs(power - expected) < 0.002, "\(power), seed \(seed)")
        }
    }

    /// The gate lowers the signal and its noise alike: each sample keeps its sign and loses at
    /// most 20 dB, and some samples lose 20 dB.
    @Test func aGateTakesTheNoiseToo() {
        func sound(_ gate: AirGate?) -> [Float] {
            var air = Air()
            air.gate = gate
            var generator = SeededGenerator(seed: 8)
            var sound = PreparedAir(air, sampleRateHertz: Self.rate).microphoneSound(
                StoredSound([Float](repeating: 0, count: 4 * Self.rate)), amplitude: 1, snrDecibels: 0, &generator)
            return sound.readAll()
        }
        let (open, gated) = (sound(nil), sound(AirGate(decibels: 20)))
        let ratios = zip(open, gated).map { abs($0) > 1e-6 ? $1 / $0 : 1 }
        #expect(ratios.allSatisfy { $0 > 0.0999 && $0 < 1.0001 })
        // Intact pieces last 1/3 s and pauses 1/4 s on average, so pauses are 3/7 of the time.
        let closed = Double(ratios.count { $0 < 0.1001 }) / Double(ratios.count)
        #expect((0.15...0.7).contains(closed), "\(closed)")
    }
}
