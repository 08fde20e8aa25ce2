import EarshotBasics
import EarshotDSP
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct MedianTests {
    @Test func equalsSorting() {
        var random = SeededGenerator(seed: 21)
        for round in 0..<10_000 {
            let count = round % 200 + 1
            // Few different values in every other round, so that there are many duplicates.
            let kinds = round / 200 % 2 == 0 ? 4 : 1_000_000
            var values = (0..<count).map { _ in Float(Int.random(in: -kinds...kinds, using: &random)) / 8 }
            let expected = Reference.median(values)
            let contents = values.sorted()
            var span = values.mutableSpan
            let found = median(&span)
            #expect(found == expected, "round \(round), seed 21")
            #expect(values.sorted() == contents, "round \(round): values were lost")
        }
    }

    @Test func everyRankCanBeSelected() {
        var random = SeededGenerator(seed: 22)
        for count in [1, 2, 7, 64, 150] {
            let values = (0..<count).map { _ in Float(Int.random(in: 0...count / 2, using: &random)) }
            for rank in 0..<count {
                var copy = values
                var span = copy.mutableSpan
                #expect(select(rank, of: &span) == values.sorted()[rank], "rank \(rank) of \(count), seed 22")
            }
        }
    }

    @Test func ordersThatAreHardForSelection() {
        for count in [1, 2, 3, 4, 5, 100, 127] {
            let ascending = (0..<count).map { Float($0) }
            let organPipe = (0..<count).map { Float(min($0, count - $0)) }
            let constant = [Float](repeating: 2, count: count)
            for order in [ascending, ascending.reversed(), organPipe, constant, ascending.map { $0 - .infinity }] {
                var values = order
                var span = values.mutableSpan
                #expect(median(&span) == Reference.median(order), "\(order)")
            }
        }
    }
}

@Suite(.optimized) struct FastLogarithmTests {
    /// Every exponent of a normal number, a thousand mantissas each, both ends included.
    @Test func isGoodToItsPromise() {
        for exponent in -126...127 {
            var worst: Float = 0
            for step in 0...1_000 {
                let mantissa = min(1 + Float(step) / 1_000, (2 as Float).nextDown)
                let x = Float(sign: .plus, exponent: exponent, significand: mantissa)
                worst = max(worst, abs(fastLog2(x) - Float(Double.log2(Double(x)))))
            }
            #expect(worst < 0.008, "exponent \(exponent)")
        }
    }

    @Test func powersOfTwoAreExactAndItNeverFalls() {
        for exponent in -126...127 {
            #expect(fastLog2(Float(sign: .plus, exponent: exponent, significand: 1)) == Float(exponent))
        }
        var x: Float = 0.5
        while x < 4 {
            // Over one part in 4,096 the logarithm grows by 3e-4, far beyond its rounding.
            #expect(fastLog2(x * (1 + 0x1p-12)) > fastLog2(x), "\(x)")
            x *= 1 + 0x1p-12
        }
    }
}

@Suite(.optimized) struct KaiserWindowTests {
    /// numpy.kaiser(9, 0.1102·(A − 8.7))[0 ... 4], numpy 2.4.6.
    @Test(
        arguments: [
            (50, [0.0546782938267232, 0.26912674094471717, 0.5875703031632393, 0.8806146048343283, 1]),
            (60, [0.020388000239333876, 0.18422490271606906, 0.5060953677955268, 0.850051719365867, 1]),
            (80, [0.002672620818641509, 0.08685629365944224, 0.3761202269393983, 0.7923458729839522, 1]),
        ] as [(Double, [Double])])
    func equalsPublishedValues(attenuationDecibels: Double, expected: [Double]) {
        let window = KaiserWindow(attenuationDecibels: attenuationDecibels)
        for (index, value) in expected.enumerated() {
            let u = Double(index) / 4 - 1
            #expect(abs(window(u) - value) < 1e-12, "w(\(u))")
            #expect(window(u) == window(-u))
        }
        #expect(window(1.0001) == 0 && window(-2) == 0)
    }

    @Test func betaOfTheTable() {
        for (attenuation, beta) in [(50.0, 4.55), (60, 5.65), (80, 7.86)] {
            #expect(abs(KaiserWindow(attenuationDecibels: attenuation).beta - beta) < 0.005)
        }
    }
}
