import EarshotSound
import Testing

@Suite struct SoundAheadTests {
    @Test func `a token of the slot before does not reach into the next one, a later one does`() {
        for (begin, isHeld) in [(0.0, false), (0.2, false), (0.3, false), (0.4, true), (0.6, true)] {
            var ahead = SoundAhead(tokenSeconds: 0.555)
            for tick in 0..<63 { ahead.take(isBusy: Double(tick) / 100 >= begin, atSeconds: Double(tick) / 100) }
            // The slot begins at 0.805 s, and the decision falls a lead of 0.17 s earlier.
            #expect(ahead.lasts(toSeconds: 0.805) == isHeld, "\(begin)")
        }
    }

    @Test func `silence does not last`() {
        var ahead = SoundAhead(tokenSeconds: 0.5)
        #expect(!ahead.lasts(toSeconds: 0))
        ahead.take(isBusy: true, atSeconds: 1)
        #expect(ahead.lasts(toSeconds: 1.3))
        ahead.take(isBusy: false, atSeconds: 1.1)
        #expect(!ahead.lasts(toSeconds: 1.3))
    }

    @Test func `what sounds after the own token began with it`() {
        var ahead = SoundAhead(tokenSeconds: 0.5)
        ahead.takeOwn(beginSeconds: 1)
        ahead.take(isBusy: true, atSeconds: 1.5)
        #expect(ahead.lasts(toSeconds: 1.39) && !ahead.lasts(toSeconds: 1.41))
    }
}
