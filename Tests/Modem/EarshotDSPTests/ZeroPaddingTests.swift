import EarshotBasics
import EarshotDSP
import TestSupport
import Testing

@Suite(.optimized) struct ZeroPaddingTests {
    /// Every place of a window over a short signal: before it, across either end, inside, around all of it, after it.
    @Test func equalsTheDefinition() {
        var random = SeededGenerator(seed: 36)
        for count in [0, 1, 5] {
            let x = random.complex(count)
            for length in [0, 1, 3, 9] {
                for first in -12...12 {
                    var y = random.complex(length)
                    var span = y.mutableSpan
                    copyZeroPadded(x.span, from: first, into: &span)
                    let expected = (0..<length).map { x.indices.contains(first + $0) ? x[first + $0] : ComplexSample() }
                    #expect(y == expected, "\(length) samples of \(count) from \(first) on")
                }
            }
        }
    }
}
