import EarshotBasics
import EarshotChannel
import TestSupport
import Testing

@Suite(.optimized) struct EchoesTests {
    /// Several blocks of each size that the design chooses: 4,096, 16,384 and 32,768 points (four
    /// times the response, or more than twice).
    ///
    /// A transform in single precision has an error of about 0.6·2⁻²⁴·√log₂N, 1.4e-7, of its root mean square. Three
    /// transforms and y of √(count/9) make 6e-6 for 5,000 samples. The maximum of a thousand errors is four times that,
    /// and the limit is twice the maximum.
    @Test(arguments: [(20_000, 1), (30_000, 700), (60_000, 3_000), (120_000, 5_000), (90_000, 15_000)])
    func equalsTheDefinition(count: Int, responseCount: Int) throws {
        var random = SeededGenerator(seed: 51)
        let (x, h) = (random.samples(count), random.samples(responseCount))
        var echoes = Echoes(StoredSound(x), response: h)
        let y = echoes.readAll()
        try #require(y.count == count + responseCount - 1)
        let places = (0..<1_000).map { _ in Int.random(in: y.indices, using: &random) } + [0, y.count - 1]
        let limit = 8 * 2.5e-7 * (Double(responseCount) / 9 + 1).squareRoot()
        for n in places {
            var expected = 0.0
            for k in max(0, n - count + 1)...min(n, responseCount - 1) {
                expected += Double(h[k]) * Double(x[n - k])
            }
            #expect(abs(Double(y[n]) - expected) < limit, "sample \(n), seed 51")
        }
    }

    /// A transform of 4,096 points and a response of 100 make blocks of 2 · 3,997 samples.
    @Test(arguments: [0, 1, 500, 7_994, 7_995, 15_988, 16_000, 40_000], [1, 100])
    func blocksOfAnySizeGiveTheSame(count: Int, responseCount: Int) {
        var random = SeededGenerator(seed: 52)
        let source = Echoes(StoredSound(random.samples(count)), response: random.samples(responseCount))
        var whole = source
        let expected = whole.readAll()
        #expect(expected.count == (count == 0 ? 0 : count + responseCount - 1))
        expectSameInAnyBlocks(count: expected.count + 10) { source }
    }

    /// A copy continues from the point of copying, and the two do not affect each other.
    @Test func copiesAreIndependent() {
        var random = SeededGenerator(seed: 53)
        var first = Echoes(StoredSound(random.samples(30_000)), response: random.samples(50))
        _ = first.read(count: 1_000)
        var second = first
        let rest = first.readAll()
        #expect(second.readAll() == rest, "seed 53")
    }
}
