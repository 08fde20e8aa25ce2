import EarshotBasics
import EarshotChannel
import TestSupport
import Testing

@Suite struct ConcealedTests {
    /// In a loss y[n] = y[n − L], even if n − L is in the loss itself, and 0 before any
    /// sound came. Elsewhere y[n] = x[n].
    @Test func whatCameBeforeComesAgain() {
        let x = (0..<100).map { Float($0 + 1) }
        var sound = Concealed(StoredSound(x), losses: Holes([0..<3, 20..<27, 50..<52]), repeatedLength: 3)
        var expected = x
        for index in [0, 1, 2] { expected[index] = 0 }
        for index in 20..<27 { expected[index] = expected[index - 3] }
        for index in 50..<52 { expected[index] = expected[index - 3] }
        #expect(expected[26] == 18 && sound.readAll() == expected)
    }

    @Test func isTheSameInAnyBlocks() {
        var random = SeededGenerator(seed: 8)
        let sound = StoredSound(random.samples(20_000))
        expectSameInAnyBlocks {
            Concealed(
                sound, losses: Holes(perSecond: 20, lengthSeconds: 0...0.03, sampleRateHertz: 48_000, seed: 9),
                repeatedLength: 480)
        }
    }
}
