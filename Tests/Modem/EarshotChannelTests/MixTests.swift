import EarshotBasics
import EarshotChannel
import TestSupport
import Testing

@Suite(.optimized) struct MixTests {
    private let ramp = StoredSound([1, 2, 3, 4])

    private func mixed(_ parts: [Mix.Part], length: Int? = nil) -> [Float] {
        var mix = Mix(parts, length: length)
        // Limited, so that a mix without an end fails instead of filling the memory.
        return mix.read(count: 20_000)
    }

    @Test func addsEachFromItsStartOn() {
        let parts = [
            Mix.Part(ramp, startSample: 5, gain: 10), Mix.Part(ramp, startSample: 2), Mix.Part(ramp, gain: -1),
        ]
        #expect(mixed(parts) == [-1, -2, -2, -2, 3, 14, 20, 30, 40])
    }

    @Test func silenceLiesBetweenParts() {
        let twice = [1, 2, 3, 4] + [Float](repeating: 0, count: 9_996) + [1, 2, 3, 4]
        #expect(mixed([Mix.Part(ramp, startSample: 10_000), Mix.Part(ramp)]) == twice)
        // Even if a part is empty.
        #expect(mixed([Mix.Part(StoredSound([]), startSample: 3)]) == [0, 0, 0])
        #expect(mixed([]) == [])
    }

    @Test func lengthCutsAndPads() {
        #expect(mixed([Mix.Part(ramp, startSample: 1)], length: 3) == [0, 1, 2])
        #expect(mixed([Mix.Part(ramp, startSample: 1)], length: 7) == [0, 1, 2, 3, 4, 0, 0])
        #expect(mixed([], length: 9_000) == [Float](repeating: 0, count: 9_000))
        let noise = Mix.Part(WhiteNoise(seed: 1), startSample: 2)
        var white = WhiteNoise(seed: 1)
        #expect(mixed([noise], length: 8_000) == [0, 0] + white.read(count: 7_998))
    }

    @Test func backgroundsEndWithTheOthers() {
        var white = WhiteNoise(seed: 1)
        let noise = white.read(count: 6)
        let background = Mix.Part(WhiteNoise(seed: 1), isBackground: true)
        let late: [Float] = [0, 0, 1, 2, 3, 4]
        #expect(mixed([background, Mix.Part(ramp, startSample: 2)]) == zip(noise, late).map { $0 + $1 })
        #expect(mixed([background]) == [])
        #expect(mixed([background], length: 6) == noise)
    }

    @Test func isTheSameInAnyBlocks() {
        var random = SeededGenerator(seed: 6)
        let parts = (0..<40).map { index in
            Mix.Part(
                StoredSound(random.samples(Int.random(in: 0...3_000, using: &random))),
                startSample: Int.random(in: 0...20_000, using: &random), gain: Float(index) / 20)
        }
        let background = Mix.Part(WhiteNoise(seed: 1), startSample: 100, isBackground: true)
        expectSameInAnyBlocks { Mix(parts + [background]) }
        expectSameInAnyBlocks { Mix(parts + [background], length: 25_000) }
        expectSameInAnyBlocks { Mix([Mix.Part(Mix(parts), startSample: 7), background], length: 9_999) }
    }
}
