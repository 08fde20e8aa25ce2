import EarshotCoding
import Testing

@testable import EarshotModem

@Suite struct MotionTrackTests {
    /// A symbol is shorter where its tones are higher; the echo's symbols continue at the last one's offset.
    @Test func eachSymbolBeginsWhereTheOneBeforeEnds() {
        let format = BasebandFormat(profile: .standard)
        var track = MotionTrack(format: format)
        track.write(from: 100, symbolCount: 3) { Float($0) * 40 }
        let (starts, offsetsHertz) = (track.starts, track.offsetsHertz)
        #expect(Array(offsetsHertz[0..<5]) == [0, 40, 80, 80, 80])
        #expect(starts[0] == 100)
        for symbol in 0..<4 {
            let expected = 64 / (1 + Double(offsetsHertz[symbol]) / 19_250)
            #expect(abs(starts[symbol + 1] - starts[symbol] - expected) < 1e-9)
        }
    }
}
