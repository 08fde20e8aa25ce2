import EarshotBasics
import EarshotChannel
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct RoomTests {
    private static let seeds = 1...40 as ClosedRange<UInt64>

    /// Schroeder's backward integration, averaged over seeds: the remaining energy from each sample on.
    private func decay(_ room: Room, rate: Int) -> [Double] {
        var curve: [Double] = []
        for seed in Self.seeds {
            let response = room.impulseResponse(sampleRateHertz: rate, seed: seed).map { Double($0) }
            if curve.isEmpty { curve = [Double](repeating: 0, count: response.count) }
            var rest = 0.0
            for n in response.indices.reversed() {
                rest += response[n] * response[n]
                curve[n] += rest / Double(Self.seeds.count)
            }
        }
        return curve
    }

    /// T30: from −5 dB to −35 dB of the reverberation's energy, times two. The response ends at −60 dB, which removes
    /// 0.3 % of the energy left at −35 dB and shortens the result by 0.05 %.
    @Test(arguments: [(0.2, nil), (0.3, -6), (0.6, 0), (0.3, nil)] as [(Double, Double?)], [44_100, 48_000])
    func reverberationTimeIsMeasuredBack(room: (seconds: Double, ratio: Double?), rate: Int) throws {
        let curve = decay(
            Room(reverberationSeconds: room.seconds, directToReverberantDecibels: room.ratio), rate: rate)
        func place(_ level: Double) throws -> Double {
            // The direct sound, sample 0, is not reverberation.
            Double(try #require(curve.indices.first { $0 > 0 && decibels(curve[$0] / curve[1]) < level }))
        }
        let measured = try 2 * (place(-35) - place(-5)) / Double(rate)
        #expect(abs(measured / room.seconds - 1) < 0.05, "\(measured) s, seeds \(Self.seeds)")
    }

    /// Sample 0 also has some reverberation, of random sign: (d + r·g)² − d² has a deviation of 2·d·r. At −10 dB d² is
    /// 0.09 and r² = 0.91 · 13.8/9,600 = 0.0013: 24 % of d² for each seed, 1 dB, and 0.16 dB for the mean of 40.
    @Test(arguments: [-10, -6, 0, 6] as [Double])
    func directToReverberantRatioIsMeasuredBack(ratio: Double) {
        let curve = decay(Room(reverberationSeconds: 0.2, directToReverberantDecibels: ratio), rate: 48_000)
        let measured = decibels((curve[0] - curve[1]) / curve[1])
        #expect(abs(measured - ratio) < 0.5, "\(measured) dB, seeds \(Self.seeds)")
        #expect(abs(decibels(curve[0])) < 0.1, "total energy \(curve[0]), seeds \(Self.seeds)")
    }

    @Test func eachSeedHasAPlaceOfItsOwn() {
        let first = Room.b.impulseResponse(sampleRateHertz: 48_000, seed: 1)
        #expect(first == Room.b.impulseResponse(sampleRateHertz: 48_000, seed: 1))
        #expect(first != Room.b.impulseResponse(sampleRateHertz: 48_000, seed: 2))
        #expect(first.count == 14_400)
    }

    @Test func aRoomIsAppliedByConvolution() {
        var random = SeededGenerator(seed: 6)
        let x = random.samples(300)
        let room = Room(reverberationSeconds: 0.005, directToReverberantDecibels: 3)
        let h = room.impulseResponse(sampleRateHertz: 48_000, seed: 9)
        let expected = Reference.convolve(x.map { Double($0) }, h.map { Double($0) })
        let y = room.apply(to: x, sampleRateHertz: 48_000, seed: 9)
        #expect(y.count == expected.count)
        #expect(zip(y, expected).allSatisfy { abs(Double($0) - $1) < 1e-5 }, "seed 6")
    }
}

@Suite(.optimized) struct ConvolutionTests {
    @Test(arguments: [(1, 1), (1, 5), (5, 1), (7, 9), (100, 33), (129, 128), (1000, 3)])
    func equalsTheDefinition(first: Int, second: Int) throws {
        var random = SeededGenerator(seed: 17)
        let (x, h) = (random.samples(first), random.samples(second))
        let expected = Reference.convolve(x.map { Double($0) }, h.map { Double($0) })
        let y = convolve(x, h)
        try #require(y.count == first + second - 1)
        for n in y.indices {
            // Products of spectra of up to √N·√N, rounded to 2⁻²⁴ some twenty times: 20 · 33 · 6e-8 for N = 1,024.
            #expect(abs(Double(y[n]) - expected[n]) < 4e-5, "sample \(n), seed 17")
        }
    }
}
