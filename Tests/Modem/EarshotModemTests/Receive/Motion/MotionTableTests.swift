import EarshotBasics
import EarshotCoding
import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

@Suite(.optimized) struct MotionTableTests {
    /// Λ along a polynomial is the sum of λ at its steps, whatever its coefficients.
    @Test func aPathSumsTheTableAtItsSteps() throws {
        var random = SeededGenerator(seed: 90)
        let format = BasebandFormat(profile: .standard)
        let history = BasebandHistory(keptCount: 60 * format.samplesPerSymbol)
        let noise = (0..<60 * format.samplesPerSymbol).map { _ in
            ComplexSample(Float.random(in: -1...1, using: &random), Float.random(in: -1...1, using: &random))
        }
        history.append(noise, 0..<noise.count)
        let measured = MeasuredFrame.token(.standard, start: 64, in: history)
        var table = MotionTable(format: format, likelihood: FrameLikelihood())
        table.measure(measured.view, measured.measurer)
        let (values, count) = (table.values, FrameLayout.token.toneCount)
        for p: SIMD4<Float> in [SIMD4(), SIMD4(2, -5, 1, 0.5), SIMD4(-3, 6, 4, -2), SIMD4(0, 0, 0, 12)] {
            var expected: Float = 0
            for symbol in 0..<count {
                let u = 2 * Double(symbol) / Double(count - 1) - 1
                let steps = Double(p[0]) + u * (Double(p[1]) + u * (Double(p[2]) + u * Double(p[3])))
                let step = Int((steps + 0.5).rounded(.down))
                expected += abs(step) <= table.reach ? values[symbol * table.width + table.reach + step] : -3
            }
            let sum = table.logRatio(p, symbolCount: count)
            // A step on the edge between two places may fall to either: the coefficients avoid that.
            #expect(abs(sum - expected) < 1e-3 * max(1, abs(expected)), "\(p), seed 90")
        }
    }

    /// A lost symbol says nothing of any offset.
    @Test func aLostSymbolIsNeutral() {
        let format = BasebandFormat(profile: .fast)
        let history = BasebandHistory(keptCount: 60 * format.samplesPerSymbol)
        history.append([ComplexSample](repeating: ComplexSample(1, 0), count: 1_000), 0..<1_000)
        history.appendLost(1_000)
        let measured = MeasuredFrame.token(.fast, start: 0, in: history)
        var table = MotionTable(format: format, likelihood: FrameLikelihood())
        table.measure(measured.view, measured.measurer)
        let (values, width) = (table.values, table.width)
        for symbol in 33..<52 {
            #expect(values[symbol * width..<(symbol + 1) * width].allSatisfy { abs($0) < 1e-5 }, "symbol \(symbol)")
        }
    }
}
