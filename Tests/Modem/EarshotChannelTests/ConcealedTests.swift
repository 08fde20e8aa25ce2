import EarshotBasics
import EarshotChannel
import TestSupport
import Testing

@Suite struct ConcealedTests {
    /// y[n] = y[n − L] in a loss, also where that is in the loss itself; zeros where nothing came before; x[n] elsewhere.
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
